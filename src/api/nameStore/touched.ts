import { createHash } from "node:crypto";
import type pg from "pg";
import { inTransaction } from "../postgres/client.ts";
import { findDatabaseError } from "../postgres/databaseErrors.ts";

/*
 * What the store of names is told by, beside the index's tables and in their schema:
 *
 * - `name_store_touched`: each write to a row of `domains`, with the number of its transaction. Triggers write it in the same
 *   transaction. So a store that is as of one snapshot of PostgreSQL knows which rows may have changed until another: those with
 *   a write that the first one does not see. Writes of a reorganisation, of a start and of another chain are no other.
 * - `name_store_state` has one row: the transaction from which on writes are noted (`since`), the newest one of which writes are
 *   taken out (`pruned`), and that of a write which could not be noted (`gap`).
 */

/** How long a write is noted. A store that is older loads all names again. */
export const NOTED = "10 minutes";

const operations = { insert: "new", update: "old", delete: "old" } as const;

const createTables = (schema: string): string => `
  drop table if exists ${schema}.name_store_touched, ${schema}.name_store_state;
  create table ${schema}.name_store_touched (xid xid8 not null default pg_current_xact_id(),
    noted_at timestamptz not null default now(), chain_id integer not null, node text not null);
  create index name_store_touched_xid on ${schema}.name_store_touched (xid);
  create table ${schema}.name_store_state (tables oid not null, rules text not null,
    since xid8 not null default pg_current_xact_id(), pruned xid8 not null default '0', gap xid8)`;

/**
 * SQL that creates the triggers. An error in one must not stop the indexer: it marks a gap. Tables are named with their schema,
 * because the indexer's sessions have temporary tables of the same names.
 */
const createTriggers = (schema: string): string =>
  Object.entries(operations)
    .map(
      ([operation, rows]) => `
  create or replace function ${schema}.name_store_${operation}() returns trigger language plpgsql as $store$
  begin
    insert into ${schema}.name_store_touched (chain_id, node) select chain_id, node from touched_rows;
    return null;
  exception when others then
    raise warning 'The stores of names load again: %', sqlerrm;
    begin
      update ${schema}.name_store_state set gap = pg_current_xact_id();
    exception when others then null;
    end;
    return null;
  end $store$;
  create or replace trigger name_store_${operation} after ${operation} on ${schema}.domains
    referencing ${rows} table as touched_rows for each statement execute function ${schema}.name_store_${operation}()`,
    )
    .join(";");

/** What the tables and triggers are made by: a program with others makes them again. */
const rules = createHash("sha256")
  .update(createTables("s") + createTriggers("s"))
  .digest("hex");

const quotedIn = (schema: string, table: string): string => `"${schema}".${table}`;

/** SQL for whether writes are noted by the rules of this program. Someone can drop a trigger, and a restored table has none. */
const IS_NOTED = (schema: string): string => `
  exists (select from ${quotedIn(schema, "name_store_state")}
    where tables = '${quotedIn(schema, "domains")}'::regclass::oid and rules = '${rules}')
  and (select count(*) = ${Object.keys(operations).length} from pg_trigger
    where tgrelid = '${quotedIn(schema, "domains")}'::regclass and tgenabled <> 'D'
    and tgname in (${Object.keys(operations)
      .map((operation) => `'name_store_${operation}'`)
      .join(", ")}))`;

/** PostgreSQL's undefined_table: nothing notes writes yet. */
const NOT_THERE = ["42P01"];

/** PostgreSQL's lock_not_available. */
const LOCKED = ["55P03"];

/** Whether writes are noted by the rules of this program. `schema` as PostgreSQL has it. */
export async function isNoted(client: pg.ClientBase, schema: string): Promise<boolean> {
  const { rows } = await client.query<{ there: boolean }>(
    "select to_regclass($1) is not null and to_regclass($2) is not null as there",
    [quotedIn(schema, "name_store_state"), quotedIn(schema, "domains")],
  );
  if (!rows[0]?.there) return false;
  try {
    const noted = await client.query<{ noted: boolean }>(`select ${IS_NOTED(schema)} as noted`);
    return noted.rows[0]?.noted ?? false;
  } catch (error) {
    if (findDatabaseError(error, NOT_THERE) !== null) return false;
    throw error;
  }
}

/**
 * Has writes noted where a store is wanted, and takes out what is too old, also where none is wanted any more. The locks are taken at
 * once or not at all, so that the indexer is not held up.
 *
 * @returns false if the tables were in use
 */
export async function noteWrites(
  client: pg.ClientBase,
  { schema, isWanted }: { schema: string; isWanted: boolean },
): Promise<boolean> {
  if (await isNoted(client, schema)) {
    await prune(client, schema);
    return true;
  }
  if (!isWanted) return true;
  const quoted = `"${schema}"`;
  try {
    await inTransaction(client, async () => {
      await client.query(`lock table ${quoted}.domains in share row exclusive mode nowait`);
      await client.query("set local lock_timeout = 500");
      await client.query(createTables(quoted));
      await client.query(createTriggers(quoted));
      await client.query(
        `insert into ${quoted}.name_store_state (tables, rules) values ('${quoted}.domains'::regclass::oid, $1)`,
        [rules],
      );
    });
    return true;
  } catch (error) {
    if (findDatabaseError(error, LOCKED) !== null) return false;
    throw error;
  }
}

/** Takes out writes that are old, and that every new snapshot sees. */
async function prune(client: pg.ClientBase, schema: string): Promise<void> {
  const [state, touched] = ["name_store_state", "name_store_touched"].map((table) => quotedIn(schema, table));
  await client.query(
    `with old as (
       delete from ${touched} where noted_at < now() - interval '${NOTED}'
         and xid < pg_snapshot_xmin(pg_current_snapshot()) returning xid
     )
     update ${state} set pruned = greatest(pruned, (select max(xid) from old)) where exists (select from old)`,
  );
}

/** More rows than this are not read one by one: all names are loaded again. */
export const MOST_TOUCHED = 200_000;

/** What was written since a snapshot: `lost` if that is not known any more, or too much. */
export type Touched = { lost: true } | { lost: false; chainIds: number[]; nodes: string[] };

/** Reads which rows were written that a snapshot of before does not see. */
export async function readTouched(client: pg.ClientBase, schema: string, snapshot: string): Promise<Touched> {
  if (!(await isNoted(client, schema))) return { lost: true };
  const { rows: states } = await client.query<{ known: boolean }>(
    `select pg_visible_in_snapshot(since, $1::pg_snapshot) and pruned < pg_snapshot_xmin($1::pg_snapshot)
       and (gap is null or pg_visible_in_snapshot(gap, $1::pg_snapshot)) as known
     from ${quotedIn(schema, "name_store_state")}`,
    [snapshot],
  );
  if (!states[0]?.known) return { lost: true };
  const { rows } = await client.query<{ chain_id: number; node: string }>(
    `select distinct chain_id, node from ${quotedIn(schema, "name_store_touched")}
     where xid >= pg_snapshot_xmin($1::pg_snapshot) and not pg_visible_in_snapshot(xid, $1::pg_snapshot)
     limit ${MOST_TOUCHED + 1}`,
    [snapshot],
  );
  if (rows.length > MOST_TOUCHED) return { lost: true };
  return {
    lost: false,
    chainIds: rows.map(({ chain_id }) => chain_id),
    nodes: rows.map(({ node }) => node),
  };
}
