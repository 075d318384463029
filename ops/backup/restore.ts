import pg from "pg";
import { inTransaction } from "../../src/api/server/postgres/client.ts";
import { migrateTo, migrations } from "../../src/api/server/serviceDb/migrations.ts";
import { CommandError } from "../commandLine/command.ts";
import { counted } from "../commandLine/counted.ts";
import { onOneLine } from "../commandLine/foreignText.ts";
import type { Header, Line } from "./write.ts";

const id = pg.escapeIdentifier;

const ROWS_AT_ONCE = 1_000;

const refused = (why: string) => new CommandError(`Nothing was restored.\n${why}`);

/**
 * Restores the service's schema from a backup, all or nothing: creates the tables in the version of the backup, fills
 * them, then migrates them to the present version.
 *
 * @returns the number of rows
 * @throws CommandError if the backup is damaged or of a later version, or if the schema has tables already
 */
export async function restore(
  client: pg.ClientBase,
  { schema, lines }: { schema: string; lines: AsyncIterable<string> },
): Promise<number> {
  return inTransaction(client, async () => {
    await requireAbsent(client, schema);
    await makeSchema(client, schema);
    const count = await putLines(client, { schema, lines });
    await moveSequences(client, schema);
    await migrateTo(client, { schema, version: migrations.length });
    return count;
  });
}

/** An empty schema may exist: `npm run roles` creates one. */
async function requireAbsent(client: pg.ClientBase, schema: string): Promise<void> {
  const { rowCount } = await client.query("SELECT FROM pg_tables WHERE schemaname = $1", [schema]);
  if (rowCount === 0) return;
  throw refused(
    `The schema "${schema}" already has tables. Restore into a new one, for example DATABASE_SERVICE_SCHEMA=${await freeSchema(client)}`,
  );
}

/** The name of a schema that does not exist yet. */
async function freeSchema(client: pg.ClientBase): Promise<string> {
  const { rows } = await client.query<{ name: string }>(
    "SELECT nspname AS name FROM pg_namespace WHERE nspname LIKE 'namedex\\_restored%'",
  );
  const taken = rows.map(({ name }) => name);
  const names = ["namedex_restored", ...taken.map((_, i) => `namedex_restored_${i + 2}`)];
  return names.find((name) => !taken.includes(name)) ?? "";
}

/**
 * A new schema belongs to the role whose tables the service's are, so that the API can read what is restored, no matter
 * who restores it.
 */
async function makeSchema(client: pg.ClientBase, schema: string): Promise<void> {
  const { rows } = await client.query<{ role: string; mayCreate: boolean; isOwn: boolean | null }>(
    `SELECT current_user AS role, has_database_privilege(current_database(), 'CREATE') AS "mayCreate",
       (SELECT pg_has_role(nspowner, 'MEMBER') FROM pg_namespace WHERE nspname = $1) AS "isOwn"`,
    [schema],
  );
  const [{ role, mayCreate, isOwn } = { role: "", mayCreate: false, isOwn: null }] = rows;
  if (isOwn === true) return;
  if (isOwn === false || !mayCreate) {
    const what =
      isOwn === false ? `create tables in the schema "${schema}"` : `create the schema "${schema}"`;
    throw refused(
      `The role "${role}" may not ${what}. Grant it first, with the DATABASE_URL of the database's owner: DATABASE_SERVICE_SCHEMA=${schema} npm run roles`,
    );
  }
  const owner = await findServiceOwner(client);
  await client.query(`CREATE SCHEMA ${id(schema)}${owner === null ? "" : ` AUTHORIZATION ${id(owner)}`}`);
}

/** The role that owns the service's tables in this database, if ours is a member of it; otherwise null. */
async function findServiceOwner(client: pg.ClientBase): Promise<string | null> {
  const { rows } = await client.query<{ owner: string }>(
    `SELECT pg_get_userbyid(keys.relowner) AS owner FROM pg_class keys
     JOIN pg_class ledger ON ledger.relnamespace = keys.relnamespace AND ledger.relname = 'ledger'
     WHERE keys.relname = 'api_keys' AND keys.relkind = 'r' AND pg_has_role(keys.relowner, 'MEMBER')
     ORDER BY keys.oid LIMIT 1`,
  );
  return rows[0]?.owner ?? null;
}

async function putLines(
  client: pg.ClientBase,
  { schema, lines }: { schema: string; lines: AsyncIterable<string> },
): Promise<number> {
  const rows = readRows(lines, ({ version }) => migrateTo(client, { schema, version }));
  let count = 0;
  let table = "";
  let batch: string[] = [];
  const flush = async () => {
    if (batch.length > 0) await putRows(client, { table, rows: batch });
    count += batch.length;
    batch = [];
  };
  for await (const row of rows) {
    if (row.table !== table || batch.length === ROWS_AT_ONCE) await flush();
    table = row.table;
    batch.push(row.line);
  }
  await flush();
  return count;
}

/** The rows of a backup. @throws CommandError at the first line that is not a row, or at the end if the footer is missing */
async function* readRows(
  lines: AsyncIterable<string>,
  onHeader: (header: Header) => Promise<void>,
): AsyncGenerator<{ table: string; line: string }> {
  let isBegun = false;
  let count = 0;
  for await (const line of lines) {
    const read = parse(line) as Partial<Header & Line> & Partial<Record<"rows", number>>;
    if (!isBegun) await onHeader(toHeader(read));
    else if ((read.namedex as string | undefined) === "end" && read.rows === count) return;
    else if (typeof read.table === "string" && read.row !== undefined) {
      count += 1;
      yield { table: read.table, line };
    } else throw refused(`The backup is damaged at row ${count + 1}: ${onOneLine(line.slice(0, 40))}…`);
    isBegun = true;
  }
  throw refused(isBegun ? `The backup is truncated after ${counted(count, "row")}` : "The backup is empty");
}

/** PostgreSQL parses the rows: its numbers are wider than JavaScript's. */
async function putRows(
  client: pg.ClientBase,
  { table, rows }: { table: string; rows: string[] },
): Promise<void> {
  await client.query(
    `INSERT INTO ${id(table)} OVERRIDING SYSTEM VALUE
     SELECT r.* FROM unnest($1::text[]) AS line, json_populate_record(null::${id(table)}, line::json -> 'row') AS r`,
    [rows],
  );
}

function toHeader(header: Partial<Header>): Header {
  if (header.namedex !== "backup" || typeof header.version !== "number") {
    throw refused("This is not a Namedex backup: the first line is not its header");
  }
  if (header.version > migrations.length) {
    throw refused(
      `The backup was written by a later version of Namedex (schema version ${header.version}; this version supports ${migrations.length}): restore it with that version`,
    );
  }
  return header as Header;
}

function parse(line: string): object {
  try {
    return Object(JSON.parse(line));
  } catch {
    return {};
  }
}

/** New rows are numbered from the highest restored number on. */
async function moveSequences(client: pg.ClientBase, schema: string): Promise<void> {
  const { rows } = await client.query<{ table: string; column: string }>(
    "SELECT table_name AS table, column_name AS column FROM information_schema.columns WHERE table_schema = $1 AND is_identity = 'YES'",
    [schema],
  );
  for (const { table, column } of rows) {
    await client.query(
      `SELECT setval(pg_get_serial_sequence($1, $2), coalesce((SELECT max(${id(column)}) FROM ${id(table)}), 0) + 1, false)`,
      [id(table), column],
    );
  }
}
