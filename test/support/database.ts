import { randomBytes } from "node:crypto";
import pg from "pg";
import { inject } from "vitest";
import { dropDatabase, openDatabase } from "../devnet/postgres.ts";

/** A database for one test or file, with pg_trgm in `public`, and the way to drop it. */
export async function createTestDatabase(
  server = inject("databaseServerUrl"),
  { locale }: { locale?: "C" } = {},
): Promise<{ url: string; drop: () => Promise<void> }> {
  const name = `test_${randomBytes(6).toString("hex")}`;
  if (locale) await createWithLocale(server, { name, locale });
  return { url: await openDatabase(server, name), drop: () => dropDatabase(server, name) };
}

/** Unlike the server's own, which knows the case of all letters; made before it would be made as those are. */
async function createWithLocale(server: string, { name, locale }: { name: string; locale: string }) {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  await client
    .query(`CREATE DATABASE ${name} TEMPLATE template0 LOCALE_PROVIDER libc LOCALE '${locale}'`)
    .finally(() => client.end());
}
