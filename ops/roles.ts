import { parseArgs } from "node:util";
import { loadEnvironmentFiles } from "../settings/environment.ts";
import { hideSecrets } from "../settings/hideSecrets.ts";
import { readDatabaseSettings, SettingsError } from "../settings/settings.ts";
import { withClient } from "../src/api/postgres/client.ts";
import { type CreatedRole, createRoles, type RoleName } from "./roles/createRoles.ts";

// `npm run roles`: creates the database roles of indexer, API and analysts. Only here DATABASE_URL is a superuser's.

const usage = `Usage: npm run roles [-- --prefix namedex]
Creates the roles <prefix>_indexer, <prefix>_api and <prefix>_analyst if they are missing, and grants each its rights.
DATABASE_URL must be of the database's owner with the right to create roles, or of a superuser.`;

const uses: Record<RoleName, string> = {
  indexer: "npm start",
  api: "npm run serve",
  analyst: "analysts, who read the views",
};

try {
  const { values } = parseArgs({ options: { prefix: { type: "string", default: "namedex" } } });
  loadEnvironmentFiles();
  hideSecrets(process.env, [process.stderr]);
  await run(values.prefix);
} catch (error) {
  const { message, code } = error as Error & { code?: string };
  const isUsage = code?.startsWith("ERR_PARSE_ARGS") ?? false;
  console.error(error instanceof SettingsError ? message : `The roles were not created: ${message}`);
  if (isUsage) console.error(usage);
  process.exitCode = 1;
}

async function run(prefix: string): Promise<void> {
  if (!/^[a-z_][a-z0-9_]{0,44}$/.test(prefix)) {
    throw new SettingsError(`--prefix is "${prefix}": expected lower-case letters, digits and _, at most 45`);
  }
  const { databaseUrl, viewsSchema, serviceSchema } = readDatabaseSettings(process.env);
  const roles = { indexer: `${prefix}_indexer`, api: `${prefix}_api`, analyst: `${prefix}_analyst` };
  const created = await withClient({ connectionString: databaseUrl }, (client) =>
    createRoles(client, { roles, viewsSchema, serviceSchema }),
  );
  show(created, databaseUrl);
}

function show(created: CreatedRole[], databaseUrl: string): void {
  const nothing = "All three roles existed already; their rights are up to date.";
  console.log(created.length === 0 ? nothing : "Save these now: the passwords are shown only once.");
  for (const { role, user, password } of created) {
    const url = new URL(databaseUrl);
    url.username = user;
    url.password = password;
    console.log(`DATABASE_URL=${url.href}  # ${uses[role]}`);
  }
}
