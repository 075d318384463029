import { parseArgs } from "node:util";
import { readDatabaseSettings } from "../settings/settings.ts";
import { withClient } from "../src/api/postgres/client.ts";
import { CommandError } from "./commandLine/command.ts";
import { runProgram } from "./commandLine/runProgram.ts";
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

const line = process.argv.slice(2);

await runProgram(
  {
    ...{ env: process.env, help: line.includes("--help") ? usage : null },
    ...{ failure: "The roles were not created.", hideIn: [process.stderr] },
  },
  async (env) => {
    const prefix = readPrefix(line);
    const { databaseUrl, viewsSchema, serviceSchema } = readDatabaseSettings(env);
    const roles = { indexer: `${prefix}_indexer`, api: `${prefix}_api`, analyst: `${prefix}_analyst` };
    const created = await withClient({ connectionString: databaseUrl }, (client) =>
      createRoles(client, { roles, viewsSchema, serviceSchema }),
    );
    return { text: describe(created, databaseUrl) };
  },
);

/** @throws CommandError */
function readPrefix(args: string[]): string {
  const prefix = parsePrefix(args);
  if (/^[a-z_][a-z0-9_]{0,44}$/.test(prefix)) return prefix;
  throw new CommandError(`--prefix is "${prefix}": expected lower-case letters, digits and _, at most 45`);
}

function parsePrefix(args: string[]): string {
  try {
    return parseArgs({ args, options: { prefix: { type: "string", default: "namedex" } } }).values.prefix;
  } catch (error) {
    throw new CommandError(`${(error as Error).message}\n${usage}`);
  }
}

function describe(created: CreatedRole[], databaseUrl: string): string {
  const nothing = "All three roles existed already; their rights are up to date.";
  const first = created.length === 0 ? nothing : "Save these now: the passwords are shown only once.";
  const lines = created.map(({ role, user, password }) => {
    const url = new URL(databaseUrl);
    url.username = user;
    url.password = password;
    return `DATABASE_URL=${url.href}  # ${uses[role]}`;
  });
  return [first, ...lines].join("\n");
}
