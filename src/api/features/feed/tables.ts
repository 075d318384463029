import { blockOf, checkpointTable, JOURNAL } from "../../../../engine/ponderInternals.ts";
import type { Source } from "./source.ts";
import { keySql, rowSql, sources } from "./sources.ts";

/*
 * The feed's tables, beside those of the index and in its schema, so that they go with it:
 *
 * - `feed_state` has one row: the epoch, the number of the newest change, and the start of the indexer as of which the feed is
 *   (`start`). After a fault it says since when there is a gap, and why, until the writer has healed it (`heal.ts`). `looked_at` is
 *   the writer's sign of life: the last look that brought the feed to the state of the tables.
 * - `feed_chains`: the block of each chain as of which the feed is.
 * - `feed_touched`: each write to a row of a source since the feed last looked, with the row as it was before. Triggers write it
 *   in the transaction of the write.
 * - `feed_changes`: the feed.
 */

const feedTables = ["feed_state", "feed_chains", "feed_touched", "feed_changes"] as const;

export const dropFeed = (schema: string): string =>
  `drop table if exists ${feedTables.map((table) => `${schema}.${table}`).join(", ")}`;

/** SQL that creates the table of noted writes. */
export const createTouched = (schema: string): string => `
  drop table if exists ${schema}.feed_touched;
  create table ${schema}.feed_touched (id bigserial primary key, chain_id integer not null, source text not null,
    key jsonb not null, before jsonb)`;

/** SQL that creates the feed's tables. `schema` as SQL has it. */
export const createFeedTables = (schema: string): string => `
  ${dropFeed(schema)};
  create table ${schema}.feed_state (epoch text not null, tables oid not null, rules text not null, newest bigint not null,
    oldest bigint not null, previous text, start text not null default '', gap_at timestamptz, gap_reason text,
    healed integer not null default 0, looked_at timestamptz not null default now(), one boolean primary key default true check (one));
  create table ${schema}.feed_chains (chain_id integer primary key, number integer not null, hash text not null,
    "timestamp" bigint not null, final_number integer not null);
  ${createTouched(schema)};
  create table ${schema}.feed_changes (
    number bigint primary key, state text not null, type text not null, chain_id integer not null,
    source text, slot text, key jsonb, node text, name text, resolver text, addresses text[] not null default '{}',
    block_number integer not null, block_hash text not null, block_timestamp bigint not null,
    transaction_hash text, log_index integer, details json not null default '{}', old_value json, new_value json,
    taken_back bigint, is_taken_back boolean not null default false, written_at timestamptz not null default now());
  create index feed_changes_open on ${schema}.feed_changes (chain_id, block_number)
    where state = 'new' and not is_taken_back and source is not null;
  create index feed_changes_times on ${schema}.feed_changes (chain_id, block_timestamp)
    where source = 'time' and state = 'new' and not is_taken_back;
  create index feed_changes_block_ends on ${schema}.feed_changes (number) where type = 'block.ended'`;

/** SQL for the newest block `b` of each chain `c` of the index, in its journal. */
export const CHAINS_NOW = `${checkpointTable} c join lateral (
  select * from ${JOURNAL} where chain_id = c.chain_id order by number desc limit 1) b on true`;

/** SQL for the number of the newest final block of a chain `c`. */
export const FINAL = `${blockOf("c.finalized_checkpoint")}::int`;

/** SQL that makes the feed as of the block now of each chain that it does not know yet. */
export const addChains = `
  insert into feed_chains select c.chain_id::int, b.number, b.hash, b."timestamp", ${FINAL}
  from ${CHAINS_NOW} on conflict do nothing`;

const operations = {
  insert: { rows: "new_rows", before: () => "null", tables: "new table as new_rows" },
  delete: {
    rows: "old_rows",
    before: (source: Source) => rowSql(source, "t"),
    tables: "old table as old_rows",
  },
  update: {
    rows: "old_rows",
    before: (source: Source) => rowSql(source, "t"),
    tables: "old table as old_rows",
  },
} as const;

/**
 * SQL that creates the triggers. Each notes the rows that a write touched, in its own transaction: also those of a
 * reorganisation, of a start and of another chain. What became of them is seen later, by comparing. An error in a trigger must not
 * stop the indexer: it marks a gap. Tables are named with their schema, because the indexer's sessions have temporary tables of
 * the same names.
 */
export const createFeedTriggers = (schema: string): string =>
  [...sources.values()]
    .flatMap((source) =>
      Object.entries(operations).map(
        ([operation, { rows, before, tables }]) => `
  create or replace function ${schema}.feed_${source.table}_${operation}() returns trigger language plpgsql as $feed$
  begin
    insert into ${schema}.feed_touched (chain_id, source, key, before)
      select t.chain_id, '${source.table}', ${keySql(source, "t")}, ${before(source)} from ${rows} t;
    return null;
  exception when others then
    raise warning 'The feed of changes has a gap: %', sqlerrm;
    begin
      update ${schema}.feed_state set gap_at = now(), gap_reason = left(sqlerrm, 200) where gap_at is null;
    exception when others then null;
    end;
    return null;
  end $feed$;
  create or replace trigger feed_${operation} after ${operation} on ${schema}.${source.table}
    referencing ${tables} for each statement execute function ${schema}.feed_${source.table}_${operation}()`,
      ),
    )
    .join(";");

/** SQL that removes the triggers. */
export const dropFeedTriggers = (schema: string): string =>
  [...sources.keys()]
    .flatMap((table) =>
      Object.keys(operations).map(
        (operation) => `drop function if exists ${schema}.feed_${table}_${operation}() cascade`,
      ),
    )
    .join(";");

/** SQL for whether each source has its triggers. Someone can drop them, and a restored table has none. */
export const HAS_TRIGGERS = `(
  select count(*) = ${sources.size * Object.keys(operations).length} from pg_trigger
  where tgrelid = any(array[${[...sources.keys()].map((table) => `to_regclass('${table}')`).join(", ")}])
    and tgname in (${Object.keys(operations)
      .map((operation) => `'feed_${operation}'`)
      .join(", ")}) and tgenabled <> 'D')`;
