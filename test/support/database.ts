import { randomBytes } from "node:crypto";
import pg from "pg";
import { inject } from "vitest";
import { dropDatabase, openDatabase, openFreshDatabase } from "../../devnet/postgres.ts";
import { withClient } from "../../src/api/server/postgres/client.ts";

/** A database for one test or file, with pg_trgm in `public`, and the way to drop it. */
export async function createTestDatabase(
  server = inject("databaseServerUrl"),
  { locale }: { locale?: "C" } = {},
): Promise<{ url: string; drop: () => Promise<void> }> {
  const name = `test_${randomBytes(6).toString("hex")}`;
  if (locale) await createWithLocale(server, { name, locale });
  return { url: await openDatabase(server, name), drop: () => dropDatabase(server, name) };
}

/**
 * A database that is a copy of one which `build` fills, given its URL: the first test of the whole run that asks does so, and
 * all others copy it.
 */
export async function copyTestDatabase(
  build: (url: string) => Promise<void>,
): Promise<{ url: string; drop: () => Promise<void> }> {
  const server = inject("databaseServerUrl");
  const name = `test_${randomBytes(6).toString("hex")}`;
  await ask(server, `CREATE DATABASE ${name} TEMPLATE ${await templateOf(server, build)}`);
  const url = Object.assign(new URL(server), { pathname: `/${name}` }).href;
  return { url, drop: () => dropDatabase(server, name) };
}

/** It gets its name when it is complete. Processes wait for the one that makes it. */
async function templateOf(server: string, build: (url: string) => Promise<void>): Promise<string> {
  const template = inject("templateDatabase");
  await withClient({ connectionString: server }, async (client) => {
    await client.query("SELECT pg_advisory_lock(hashtext($1))", [template]);
    const { rowCount } = await client.query("SELECT 1 FROM pg_database WHERE datname = $1", [template]);
    if (rowCount === 1) return;
    await build(await openFreshDatabase(server, `${template}_draft`));
    await client.query(`ALTER DATABASE ${template}_draft RENAME TO ${template}`);
  });
  return template;
}

/** A pool of a test's own. Databases are dropped and servers stopped under its idle connections: no fault of a test. */
export function openPool(config: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool({ max: 4, ...config });
  pool.on("error", () => {});
  return pool;
}

/** One statement over a connection of its own; gives the rows. */
export async function ask<Row extends pg.QueryResultRow>(url: string, sql: string): Promise<Row[]> {
  return withClient({ connectionString: url }, async (client) => (await client.query<Row>(sql)).rows);
}

/** Unlike the server's own, which knows the case of all letters; made before it would be made as those are. */
async function createWithLocale(server: string, { name, locale }: { name: string; locale: string }) {
  await ask(server, `CREATE DATABASE ${name} TEMPLATE template0 LOCALE_PROVIDER libc LOCALE '${locale}'`);
}
