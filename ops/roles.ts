import { parseArgs } from "node:util";
import { readDatabaseSettings } from "../settings/settings.ts";
import { withClient } from "../src/api/server/postgres/client.ts";
import { CommandError } from "./commandLine/command.ts";
import { runProgram } from "./commandLine/runProgram.ts";
import { createRoles, type RoleName, type RolesResult, roleNames } from "./roles/createRoles.ts";

// `npm run roles`: creates the database roles of indexer, API and analysts. Only here DATABASE_URL is a superuser's.

const usage = `Usage: npm run roles [-- --prefix namedex] [--new-password indexer|api|analyst]
Creates the roles <prefix>_indexer, <prefix>_api and <prefix>_analyst if they do not exist, and grants their privileges.
--new-password changes the password of one role and prints its DATABASE_URL. Open connections stay.
DATABASE_URL must use the database's owner, with CREATEROLE, or a superuser. Existing roles must have been created by that owner.`;

const uses: Record<RoleName, string> = {
  indexer: "npm start",
  api: "npm run serve",
  analyst: "analysts (read the views)",
};

const line = process.argv.slice(2);

await runProgram(
  {
    env: process.env,
    help: line.includes("--help") ? usage : null,
    failure: "The roles were not created.",
    hideIn: [process.stderr],
    aboutRights:
      "The role in DATABASE_URL must own the database, have CREATEROLE, and have created any existing roles. Use such a role, another --prefix, or a superuser.",
  },
  async (env) => {
    const { prefix, renewed } = readOptions(line);
    const { databaseUrl, ...schemas } = readDatabaseSettings(env);
    const roles = { indexer: `${prefix}_indexer`, api: `${prefix}_api`, analyst: `${prefix}_analyst` };
    const result = await withClient({ connectionString: databaseUrl }, (client) =>
      createRoles(client, { roles, renewed, ...schemas }),
    );
    return { text: describe(result, databaseUrl) };
  },
);

type Options = { prefix: string; renewed: RoleName | null };

/** @throws CommandError */
function readOptions(args: string[]): Options {
  const { prefix, "new-password": word } = parse(args);
  if (!/^[a-z_][a-z0-9_]{0,44}$/.test(prefix)) {
    throw new CommandError(`--prefix is "${prefix}": expected lower-case letters, digits and _, at most 45`);
  }
  if (word === undefined) return { prefix, renewed: null };
  const renewed = roleNames.find((name) => name === word);
  if (renewed === undefined) {
    throw new CommandError(`--new-password is "${word}": expected ${roleNames.join(", ")}`);
  }
  return { prefix, renewed };
}

function parse(args: string[]) {
  try {
    const options = {
      prefix: { type: "string", default: "namedex" },
      "new-password": { type: "string" },
    } as const;
    return parseArgs({ args, options }).values;
  } catch (error) {
    throw new CommandError(`${(error as Error).message}\n${usage}`);
  }
}

function describe({ created, granted }: RolesResult, databaseUrl: string): string {
  const urls = created.map(({ role, user, password }) => {
    const url = new URL(databaseUrl);
    url.username = user;
    url.password = password;
    return `DATABASE_URL=${url.href}  # ${uses[role]}`;
  });
  if (urls.length > 0) return ["Save these now: the passwords are shown only once.", ...urls].join("\n");
  if (granted.length === 0) return "All three roles already exist with all their privileges.";
  const rights = granted.map((what) => `- ${what}`);
  return ["All three roles already exist. Granted what was missing:", ...rights].join("\n");
}
