import { parseArgs } from "node:util";
import { loadEnvironmentFiles } from "../settings/environment.ts";
import { readDatabaseSettings, SettingsError } from "../settings/settings.ts";
import { withClient } from "../src/api/serviceDb/client.ts";
import { createRoles, type MadeRole, type RoleName } from "./createRoles.ts";

// `npm run roles`: the database roles of indexer, API and analysts. DATABASE_URL is, for this once, a superuser's.

const usage = `Usage: npm run roles [-- --prefix namedex]
Makes the roles <prefix>_indexer, <prefix>_api and <prefix>_analyst where they are missing, and gives each its rights.
DATABASE_URL must be the database's owner with the right to make roles, or a superuser.`;

const uses: Record<RoleName, string> = {
  indexer: "npm start",
  api: "npm run serve",
  analyst: "analysts, who read the views",
};

try {
  const { values } = parseArgs({ options: { prefix: { type: "string", default: "namedex" } } });
  loadEnvironmentFiles();
  await run(values.prefix);
} catch (error) {
  const { message, code } = error as Error & { code?: string };
  const isUsage = code?.startsWith("ERR_PARSE_ARGS") ?? false;
  console.error(error instanceof SettingsError ? message : `The roles were not made: ${message}`);
  if (isUsage) console.error(usage);
  process.exitCode = 1;
}

async function run(prefix: string): Promise<void> {
  if (!/^[a-z_][a-z0-9_]{0,44}$/.test(prefix)) {
    throw new SettingsError(`--prefix is "${prefix}": expected lower-case letters, digits and _, at most 45`);
  }
  const { databaseUrl, viewsSchema, serviceSchema } = readDatabaseSettings(process.env);
  const roles = { indexer: `${prefix}_indexer`, api: `${prefix}_api`, analyst: `${prefix}_analyst` };
  const made = await withClient({ connectionString: databaseUrl }, (client) =>
    createRoles(client, { roles, viewsSchema, serviceSchema }),
  );
  show(made, databaseUrl);
}

function show(made: MadeRole[], databaseUrl: string): void {
  const nothing = "All three roles were there; their rights are as they should be.";
  console.log(made.length === 0 ? nothing : "Keep these: the passwords are shown this once.");
  for (const { role, user, password } of made) {
    const url = new URL(databaseUrl);
    url.username = user;
    url.password = password;
    console.log(`DATABASE_URL=${url.href}  # ${uses[role]}`);
  }
}
