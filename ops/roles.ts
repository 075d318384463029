import { parseArgs } from "node:util";
import { readDatabaseSettings } from "../settings/settings.ts";
import { withClient } from "../src/api/postgres/client.ts";
import { CommandError } from "./commandLine/command.ts";
import { runProgram } from "./commandLine/runProgram.ts";
import { createRoles, type RoleName, type RolesResult } from "./roles/createRoles.ts";

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
    const { databaseUrl, ...schemas } = readDatabaseSettings(env);
    const roles = { indexer: `${prefix}_indexer`, api: `${prefix}_api`, analyst: `${prefix}_analyst` };
    const result = await withClient({ connectionString: databaseUrl }, (client) =>
      createRoles(client, { roles, ...schemas }),
    );
    return { text: describe(result, databaseUrl) };
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

function describe({ created, mended }: RolesResult, databaseUrl: string): string {
  const urls = created.map(({ role, user, password }) => {
    const url = new URL(databaseUrl);
    url.username = user;
    url.password = password;
    return `DATABASE_URL=${url.href}  # ${uses[role]}`;
  });
  if (urls.length > 0) return ["Save these now: the passwords are shown only once.", ...urls].join("\n");
  if (mended.length === 0) return "All three roles existed already, and no right was missing.";
  const rights = mended.map((what) => `- ${what}`);
  return ["All three roles existed already. These rights were missing, and are given now:", ...rights].join(
    "\n",
  );
}
