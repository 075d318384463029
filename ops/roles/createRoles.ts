import { randomBytes } from "node:crypto";
import pg from "pg";
import { inTransaction } from "../../src/api/postgres/client.ts";

/** Names of the roles, and the schemas they get rights on. */
export type RolesPlan = {
  roles: Record<RoleName, string>;
  viewsSchema: string;
  serviceSchema: string;
};

/** `indexer` writes the index; `api` reads it and writes the service's own tables; `analyst` reads the views. */
export type RoleName = "indexer" | "api" | "analyst";

/** A role that was created now; its password is shown only once. */
export type CreatedRole = { role: RoleName; user: string; password: string };

const id = pg.escapeIdentifier;
const text = pg.escapeLiteral;

/**
 * Creates the missing roles and grants each the rights it needs and no more. It can run again: passwords stay, rights are
 * granted again. The client must have the right to create roles, and own the database or be a superuser.
 *
 * @returns the roles that were created
 */
export async function createRoles(client: pg.ClientBase, plan: RolesPlan): Promise<CreatedRole[]> {
  return inTransaction(client, async () => {
    const created: CreatedRole[] = [];
    for (const role of ["indexer", "api", "analyst"] as const) {
      const password = await createRole(client, plan.roles[role]);
      if (password !== null) created.push({ role, user: plan.roles[role], password });
    }
    const { rows } = await client.query<{ name: string }>("SELECT current_database() AS name");
    for (const statement of grants(plan, rows[0]?.name ?? "")) await client.query(statement);
    return created;
  });
}

/** The new role's password; null if the role existed. */
async function createRole(client: pg.ClientBase, user: string): Promise<string | null> {
  const found = await client.query("SELECT FROM pg_roles WHERE rolname = $1", [user]);
  if (found.rowCount !== 0) return null;
  const password = randomBytes(24).toString("base64url");
  await client.query(`CREATE ROLE ${id(user)} LOGIN PASSWORD ${text(password)}`);
  return password;
}

function grants({ roles, viewsSchema, serviceSchema }: RolesPlan, name: string): string[] {
  const [database, views, service] = [name, viewsSchema, serviceSchema].map(id);
  const [indexer, api, analyst] = [roles.indexer, roles.api, roles.analyst].map(id);
  return [
    "CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA public",
    "REVOKE CREATE ON SCHEMA public FROM PUBLIC",
    `REVOKE ALL ON DATABASE ${database} FROM PUBLIC`,
    `GRANT CONNECT ON DATABASE ${database} TO ${indexer}, ${api}, ${analyst}`,
    // A schema for each build, and temporary tables that Ponder writes rows through.
    `GRANT CREATE, TEMPORARY ON DATABASE ${database} TO ${indexer}`,
    // The indexer's process runs an API too: as a member of this role it can use the service's tables.
    `GRANT ${api} TO ${indexer}`,
    `CREATE SCHEMA IF NOT EXISTS ${service} AUTHORIZATION ${api}`,
    // Future builds are readable as soon as they are created.
    `ALTER DEFAULT PRIVILEGES FOR ROLE ${indexer} GRANT USAGE ON SCHEMAS TO ${api}`,
    `ALTER DEFAULT PRIVILEGES FOR ROLE ${indexer} GRANT SELECT ON TABLES TO ${api}`,
    `CREATE SCHEMA IF NOT EXISTS ${views} AUTHORIZATION ${indexer}`,
    `GRANT USAGE ON SCHEMA ${views} TO ${analyst}`,
    `ALTER DEFAULT PRIVILEGES FOR ROLE ${indexer} IN SCHEMA ${views} GRANT SELECT ON TABLES TO ${analyst}`,
    `ALTER ROLE ${analyst} SET default_transaction_read_only = on`,
    `ALTER ROLE ${analyst} SET statement_timeout = '5min'`,
    `ALTER ROLE ${analyst} SET search_path = ${views}`,
  ];
}
