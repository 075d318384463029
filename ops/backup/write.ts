import pg from "pg";
import { inTransaction } from "../../src/api/server/postgres/client.ts";
import { readVersion } from "../../src/api/server/serviceDb/migrations.ts";
import { CommandError } from "../commandLine/command.ts";

const id = pg.escapeIdentifier;

/** The first line of a backup. */
export type Header = { namedex: "backup"; version: number; taken_at: string };

/** The last line. A backup without it is cut off. */
export type Footer = { namedex: "end"; rows: number };

/** Every line between: a row and the name of its table. */
export type Line = { table: string; row: unknown };

/** These can be produced again, or are about the indexes of this database. Unlogged tables are left out too: a crash empties them. */
const LEFT_OUT = [
  "migrations",
  "live_answers",
  "releases",
  "verifications",
  "source_comparisons",
  "label_imports",
  "asked_labels",
  "webhook_events",
  "webhook_deliveries",
  "webhook_feed",
];

const ROWS_AT_ONCE = 1_000;

/**
 * Writes the service's tables line by line, all as they were at one moment: a JSON header, a JSON object for each row,
 * a JSON footer. Keys are written as they are stored, hashed.
 *
 * @returns the number of rows
 */
export async function backUp(
  client: pg.ClientBase,
  { schema, write }: { schema: string; write: (line: string) => Promise<void> },
): Promise<number> {
  return inTransaction(client, async () => {
    await client.query("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY");
    await requireUsable(client, schema);
    await client.query(`SET LOCAL search_path TO ${id(schema)}`);
    const header: Header = {
      namedex: "backup",
      version: await readVersion(client),
      taken_at: new Date().toISOString(),
    };
    await write(JSON.stringify(header));
    let rows = 0;
    for (const table of await listTables(client, schema)) {
      for await (const line of linesOf(client, table)) {
        await write(line);
        rows += 1;
      }
    }
    const footer: Footer = { namedex: "end", rows };
    await write(JSON.stringify(footer));
    return rows;
  });
}

/** PostgreSQL passes over a schema of the search path that the role may not use: its tables then seem not to exist. */
async function requireUsable(client: pg.ClientBase, schema: string): Promise<void> {
  const { rows } = await client.query<{ role: string; may: boolean }>(
    `SELECT current_user AS role, has_schema_privilege(oid, 'USAGE') AS may FROM pg_namespace WHERE nspname = $1`,
    [schema],
  );
  const [found] = rows;
  if (found?.may) return;
  const why = found
    ? `The role "${found.role}" may not use the schema "${schema}". To grant it, run npm run roles with the DATABASE_URL of the database's owner`
    : `Schema "${schema}" does not exist: set DATABASE_SERVICE_SCHEMA to the one to back up`;
  throw new CommandError(`No backup was taken.\n${why}.`);
}

async function* linesOf(client: pg.ClientBase, table: string): AsyncGenerator<string> {
  await client.query(
    `DECLARE all_rows NO SCROLL CURSOR FOR SELECT to_json(t)::text AS row FROM ${id(table)} t`,
  );
  for (;;) {
    const { rows } = await client.query<{ row: string }>(`FETCH ${ROWS_AT_ONCE} FROM all_rows`);
    // The row's text is not parsed: PostgreSQL's numbers are wider than JavaScript's.
    for (const { row } of rows) yield `{"table":${JSON.stringify(table)},"row":${row}}`;
    if (rows.length < ROWS_AT_ONCE) break;
  }
  await client.query("CLOSE all_rows");
}

/** The tables of a backup; a table comes after those it refers to. */
async function listTables(client: pg.ClientBase, schema: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string; refers_to: string[] }>(
    `SELECT c.relname AS name, array_remove(array_agg(f.confrelid::regclass::text), NULL) AS refers_to
     FROM pg_class c
     LEFT JOIN pg_constraint f ON f.conrelid = c.oid AND f.contype = 'f' AND f.confrelid <> c.oid
     WHERE c.relnamespace = to_regnamespace($1) AND c.relkind = 'r' AND c.relpersistence = 'p' AND c.relname <> ALL ($2)
     GROUP BY c.relname ORDER BY c.relname`,
    [id(schema), LEFT_OUT],
  );
  const sorted: string[] = [];
  while (rows.length > 0) {
    const next = rows.findIndex(({ refers_to }) => refers_to.every((other) => sorted.includes(other)));
    sorted.push(...rows.splice(Math.max(next, 0), 1).map(({ name }) => name));
  }
  return sorted;
}
