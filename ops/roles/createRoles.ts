import { randomBytes } from "node:crypto";
import pg from "pg";
import { inTransaction } from "../../src/api/server/postgres/client.ts";
import { CommandError } from "../commandLine/command.ts";
import { listMissingRights } from "./missingRights.ts";

/** Names of the roles, and the schemas they get rights on. */
export type RolesPlan = {
  roles: Record<RoleName, string>;
  /** Schema of the index that the indexer writes. */
  schema: string;
  viewsSchema: string;
  serviceSchema: string;
  /** The role that gets another password. */
  renewed: RoleName | null;
};

/** `indexer` writes the index; `api` reads it and writes the service's own tables; `analyst` reads the views. */
export const roleNames = ["indexer", "api", "analyst"] as const;
export type RoleName = (typeof roleNames)[number];

/** A role that got its password now, which is shown only once. */
export type CreatedRole = { role: RoleName; user: string; password: string };

/** What was changed: roles that are new, and rights that were missing, in words. */
export type RolesResult = { created: CreatedRole[]; granted: string[] };

const id = pg.escapeIdentifier;
const text = pg.escapeLiteral;

/** A new schema lacks rights; its contents belong to its owner. */
const PASSES = 3;
/** A long query may be in the way; other sessions then wait behind this program. */
const LOCK_TIMEOUT_MS = 10_000;

/**
 * Creates the missing roles and gives each the rights it needs and no more. It can run again: passwords stay, and rights
 * that are missing are given. The client must have the right to create roles, and own the database or be a superuser.
 *
 * @throws CommandError if a right is missing that could not be given
 */
export async function createRoles(client: pg.ClientBase, plan: RolesPlan): Promise<RolesResult> {
  return inTransaction(client, async () => {
    await client.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
    const created: CreatedRole[] = [];
    for (const role of roleNames) {
      const isRenewed = plan.renewed === role;
      const password = await givePassword(client, plan.roles[role], { isRenewed });
      if (password !== null) created.push({ role, user: plan.roles[role], password });
    }
    await joinRoles(client, Object.values(plan.roles));
    for (const statement of forAll) await client.query(statement);
    const granted = await grantMissing(client, plan);
    const { rows } = await client.query<{ name: string }>("SELECT current_database() AS name");
    for (const statement of settingsOf(plan, rows[0]?.name ?? "")) await client.query(statement);
    return { created, granted };
  });
}

/** Only a superuser may give something to a role without being a member of it. */
async function joinRoles(client: pg.ClientBase, roles: readonly string[]): Promise<void> {
  const { rows } = await client.query<{ role: string }>(
    "SELECT role FROM unnest($1::name[]) AS r (role) WHERE NOT pg_has_role(role, 'USAGE')",
    [roles],
  );
  for (const { role } of rows) await client.query(`GRANT ${id(role)} TO CURRENT_USER`);
}

/** Gives what is missing, until nothing is. */
async function grantMissing(client: pg.ClientBase, plan: RolesPlan): Promise<string[]> {
  const granted: string[] = [];
  for (let pass = 0; pass < PASSES; pass++) {
    const missing = await listMissingRights(client, plan);
    if (missing.length === 0) return granted;
    for (const { statement } of missing) await client.query(statement);
    granted.push(...missing.map(({ what }) => what));
  }
  const left = await listMissingRights(client, plan);
  if (left.length === 0) return granted;
  throw new CommandError(`Could not grant these privileges: ${left.map(({ what }) => what).join("; ")}.`);
}

/** The password of a role that is new or gets another one; null if the role existed. */
async function givePassword(
  client: pg.ClientBase,
  user: string,
  { isRenewed }: { isRenewed: boolean },
): Promise<string | null> {
  const { rowCount } = await client.query("SELECT FROM pg_roles WHERE rolname = $1", [user]);
  if (rowCount !== 0 && !isRenewed) return null;
  const password = randomBytes(24).toString("base64url");
  const verb = rowCount === 0 ? "CREATE" : "ALTER";
  await client.query(`${verb} ROLE ${id(user)} LOGIN PASSWORD ${text(password)}`);
  return password;
}

/** No role has a right because all have it. */
const forAll: readonly string[] = [
  "CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA public",
  "REVOKE CREATE ON SCHEMA public FROM PUBLIC",
  "DO $$ BEGIN EXECUTE format('REVOKE ALL ON DATABASE %I FROM PUBLIC', current_database()); END $$",
];

/**
 * Statements that can be repeated without a check: rights on future objects, and settings of analysts' sessions. Roles
 * belong to all databases of a server, so the latter apply to this one alone.
 */
function settingsOf({ roles, viewsSchema }: RolesPlan, database: string): string[] {
  const [indexer, api, analyst, views] = [roles.indexer, roles.api, roles.analyst, viewsSchema].map(id);
  const analystHere = `${analyst} IN DATABASE ${id(database)}`;
  return [
    // Future builds are readable as soon as they are created.
    `ALTER DEFAULT PRIVILEGES FOR ROLE ${indexer} GRANT USAGE ON SCHEMAS TO ${api}`,
    `ALTER DEFAULT PRIVILEGES FOR ROLE ${indexer} GRANT SELECT ON TABLES TO ${api}`,
    `ALTER DEFAULT PRIVILEGES FOR ROLE ${indexer} IN SCHEMA ${views} GRANT SELECT ON TABLES TO ${analyst}`,
    `ALTER ROLE ${analystHere} SET default_transaction_read_only = on`,
    `ALTER ROLE ${analystHere} SET statement_timeout = '5min'`,
    `ALTER ROLE ${analystHere} SET search_path = ${views}`,
  ];
}
