import { createHash, randomBytes } from "node:crypto";
import type pg from "pg";
import { inTransaction, type Queries, queriesOf } from "../postgres/client.ts";
import { findDatabaseError } from "../postgres/databaseErrors.ts";
import { writePosition } from "./position.ts";
import { sources } from "./sources.ts";
import { addChains, createFeedTables, createFeedTriggers } from "./tables.ts";

/** Readers of the feed wait behind one that waits to drop its tables. */
const DROP_WAIT_MS = 500;

/** PostgreSQL's lock_not_available. */
const LOCKED = ["55P03"];

/** What the feed is made by: a program with other tables or triggers begins an epoch of its own. */
const rules = createHash("sha256")
  .update(createFeedTables("s") + createFeedTriggers("s"))
  .digest("hex");

/** The feed of these tables. `isWhole`: it was made by this program's rules, and has no gap. */
export type Feed = { newest: number; isWhole: boolean };

/** Reads how far the feed is; null if there is none. The search path is the schema. */
export async function readFeed({ query }: Pick<Queries, "query">): Promise<Feed | null> {
  if (!(await hasTable({ query }, "feed_state"))) return null;
  const [state] = await query<{ newest: string; isWhole: boolean }>(
    `select newest, tables = 'domains'::regclass::oid and rules = $1 and not has_gap as "isWhole" from feed_state`,
    [rules],
  );
  return state ? { ...state, newest: Number(state.newest) } : null;
}

async function hasTable({ query }: Pick<Queries, "query">, table: string): Promise<boolean> {
  return (await query("select from pg_class where oid = to_regclass($1)", [table])).length > 0;
}

/**
 * Begins an epoch: the feed is as of the tables now, and from then on each write is noted. The indexer waits meanwhile, for
 * some milliseconds. Locks are taken at once or not at all, so that the two never wait for each other.
 *
 * @returns false if the tables were in use
 */
export async function beginEpoch(client: pg.ClientBase, schema: string): Promise<boolean> {
  const quoted = `"${schema}"`;
  const epoch = randomBytes(6).toString("hex");
  const tables = [...sources.keys()].map((table) => `${quoted}.${table}`).join(", ");
  try {
    await inTransaction(client, async () => {
      await client.query(`lock table ${tables} in share row exclusive mode nowait`);
      await client.query(`set local lock_timeout = ${DROP_WAIT_MS}`);
      const previous = await lastPosition(client);
      await client.query(createFeedTables(quoted));
      await client.query(createFeedTriggers(quoted));
      await client.query(
        "insert into feed_state (epoch, tables, rules, newest, oldest, previous) values ($1, 'domains'::regclass::oid, $2, 0, 0, $3)",
        [epoch, rules, previous],
      );
      await client.query(addChains);
      await noteStart(client, previous);
    });
    return true;
  } catch (error) {
    if (findDatabaseError(error, LOCKED) !== null) return false;
    throw error;
  }
}

/** Where the epoch before ended; null where it left no state. */
async function lastPosition(client: pg.ClientBase): Promise<string | null> {
  if (!(await hasTable(queriesOf(client), "feed_changes"))) return null;
  const { rows: states } = await client.query<{ epoch: string; newest: string }>(
    "select epoch, newest from feed_state",
  );
  const [state] = states;
  return state ? writePosition({ epoch: state.epoch, number: Number(state.newest) }) : null;
}

/** The first rows of an epoch: one for each chain, with the block that the feed begins after. */
async function noteStart(client: pg.ClientBase, previous: string | null): Promise<void> {
  const { rowCount } = await client.query(
    `insert into feed_changes (number, state, type, chain_id, block_number, block_hash, block_timestamp, details)
     select row_number() over (order by chain_id), 'new', 'feed.started', chain_id, number, hash, "timestamp",
       jsonb_build_object('previous_position', $1::text) from feed_chains`,
    [previous],
  );
  await client.query("update feed_state set newest = $1", [rowCount ?? 0]);
}
