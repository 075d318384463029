import type pg from "pg";
import { SettingsError } from "../../settings/settings.ts";
import { withClient } from "../../src/api/server/postgres/client.ts";
import { isDatabaseAway, messageOf } from "../../src/api/server/postgres/databaseErrors.ts";
import { UnavailableError } from "../commandLine/exitCodes.ts";
import { onOneLine } from "../commandLine/foreignText.ts";

const CONNECT_TIMEOUT_MS = 10_000;

/**
 * Prepares a database for Namedex: the extension pg_trgm, which searches names by their parts, must be in the schema
 * `public` before the first index is built. Creates it if the user of DATABASE_URL may.
 *
 * @throws UnavailableError while the database does not answer, SettingsError if it lacks the extension and we may not add it
 */
export const prepareDatabase = (databaseUrl: string): Promise<void> =>
  onDatabase(databaseUrl, requireTrigrams);

/**
 * Does work on a connection to the database of DATABASE_URL.
 *
 * @throws UnavailableError while the database does not answer, SettingsError if it refuses
 */
export function onDatabase<T>(databaseUrl: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const config = { connectionString: databaseUrl, connectionTimeoutMillis: CONNECT_TIMEOUT_MS };
  return withClient(config, work).catch((error: Error) => {
    if (error instanceof SettingsError) throw error;
    const Fault = isDatabaseAway(error) ? UnavailableError : SettingsError;
    throw new Fault(`DATABASE_URL: cannot use ${placeOf(databaseUrl)} (${onOneLine(messageOf(error))})`);
  });
}

async function requireTrigrams(client: pg.Client): Promise<void> {
  const schema = await findTrigramSchema(client);
  if (schema === "public") return;
  if (schema !== null) {
    const remedy = "ALTER EXTENSION pg_trgm SET SCHEMA public";
    throw new SettingsError(
      `DATABASE_URL: pg_trgm is in schema "${schema}", but must be in public; run: ${remedy}`,
    );
  }
  const command = "CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA public";
  await client.query(command).catch(async (error: Error) => {
    if ((await findTrigramSchema(client)) === "public") return; // Another process created it at the same time.
    throw new SettingsError(
      `DATABASE_URL: the extension pg_trgm is missing and could not be created (${onOneLine(messageOf(error))}); run as a superuser: ${command}`,
    );
  });
}

async function findTrigramSchema(client: pg.Client): Promise<string | null> {
  const { rows } = await client.query<{ schema: string }>(
    "SELECT extnamespace::regnamespace::text AS schema FROM pg_extension WHERE extname = 'pg_trgm'",
  );
  return rows[0]?.schema ?? null;
}

/** Host, port and database, without user and password. */
export function placeOf(databaseUrl: string): string {
  const { host, pathname } = new URL(databaseUrl);
  return `${host}${pathname}`;
}
