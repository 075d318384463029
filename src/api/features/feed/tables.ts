import { blockOf, checkpointTable, JOURNAL } from "../../../../engine/ponderInternals.ts";
import {
  type Captured,
  createTriggers,
  dropTriggers,
  hasTriggers,
  lockTables,
} from "../../server/postgres/changeCapture.ts";
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

/** SQL that starts the feed at the present block of each chain it does not know yet. */
export const addChains = `
  insert into feed_chains select c.chain_id::int, b.number, b.hash, b."timestamp", ${FINAL}
  from ${CHAINS_NOW} on conflict do nothing`;

const captured: Captured = { name: "feed", tables: [...sources.keys()] };

/**
 * SQL that creates the triggers, which note the rows that a write touched. What became of them is seen later, by comparing. A fault
 * marks a gap.
 */
export const createFeedTriggers = (schema: string): string =>
  createTriggers(schema, {
    ...captured,
    handle: (table, operation) => {
      const source = sources.get(table) as Source;
      const rows = operation === "insert" ? "new_rows" : "old_rows";
      const before = operation === "insert" ? "null" : rowSql(source, "t");
      const sql = `insert into ${schema}.feed_touched (chain_id, source, key, before)
      select t.chain_id, '${table}', ${keySql(source, "t")}, ${before} from ${rows} t`;
      return { rows: [rows], sql };
    },
    fault: {
      warning: "The feed of changes has a gap",
      sql: `update ${schema}.feed_state set gap_at = now(), gap_reason = left(sqlerrm, 200) where gap_at is null`,
    },
  });

/** SQL that removes the triggers. */
export const dropFeedTriggers = (schema: string): string => dropTriggers(schema, captured);

/** SQL for whether each source has its triggers. */
export const HAS_TRIGGERS = hasTriggers(captured);

/** SQL that keeps writers from all sources until the transaction ends. `schema` as SQL has it. */
export const lockSources = (schema: string): string => lockTables(schema, captured.tables);
