import { createHash, randomBytes } from "node:crypto";
import pg from "pg";
import { inTransactionUnlessLocked } from "../../server/postgres/changeCapture.ts";
import type { Queries } from "../../server/postgres/client.ts";
import { writePosition } from "./position.ts";
import {
  addChains,
  createFeedTables,
  createFeedTriggers,
  dropFeed,
  dropFeedTriggers,
  HAS_TRIGGERS,
  lockSources,
} from "./tables.ts";

/** What the feed is made by: a program with other tables or triggers begins an epoch of its own. */
const rules = createHash("sha256")
  .update(createFeedTables("s") + createFeedTriggers("s"))
  .digest("hex");

/**
 * The feed of these tables. `isOurs`: it was made by this program's rules. `hasGap`: writes may be missing in its notes.
 * `start`: that of the indexer as of which it is.
 */
export type Feed = { newest: number; isOurs: boolean; hasGap: boolean; start: string };

/** Reads how far the feed is; null without a feed. The search path is the schema. */
export async function readFeed({ query }: Pick<Queries, "query">): Promise<Feed | null> {
  if (!(await hasTable({ query }, "feed_state"))) return null;
  // Columns by their names as text: the feed of another release may lack them.
  const [state] = await query<Omit<Feed, "newest"> & { newest: string }>(
    `select newest, tables = 'domains'::regclass::oid and rules = $1 as "isOurs", coalesce(to_jsonb(s) ->> 'start', '') as start,
       to_jsonb(s) ->> 'gap_at' is not null or to_regclass('feed_touched') is null or not ${HAS_TRIGGERS} as "hasGap"
     from feed_state s`,
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
 * @param active schema of the index to which readers are sent; null where none was chosen yet
 * @returns false if the tables were in use
 */
export async function beginEpoch(
  client: pg.ClientBase,
  schema: string,
  active: string | null = null,
): Promise<boolean> {
  const quoted = `"${schema}"`;
  const epoch = randomBytes(6).toString("hex");
  return inTransactionUnlessLocked(client, async () => {
    await client.query(lockSources(quoted));
    const previous = await lastPosition(client, { schema, active });
    await client.query(createFeedTables(quoted));
    await client.query(createFeedTriggers(quoted));
    await client.query(
      "insert into feed_state (epoch, tables, rules, newest, oldest, previous) values ($1, 'domains'::regclass::oid, $2, 0, 0, $3)",
      [epoch, rules, previous],
    );
    await client.query(addChains);
    await noteStart(client, previous);
  });
}

/** Removes the feed of these tables, if there is one. @returns false if the tables were in use */
export async function removeFeed(client: pg.ClientBase, schema: string): Promise<boolean> {
  const quoted = `"${schema}"`;
  return inTransactionUnlessLocked(client, async () => {
    await client.query(lockSources(quoted));
    await client.query(dropFeedTriggers(quoted));
    await client.query(dropFeed(quoted));
  });
}

/**
 * Where the feed before is, or ended: the one of these tables. A release has tables of its own: then that of the index to which
 * readers are sent, or, where none was chosen yet, of the only other one. Null where there is none that may be read.
 */
async function lastPosition(
  client: pg.ClientBase,
  { schema, active }: { schema: string; active: string | null },
): Promise<string | null> {
  const { rows: feeds } = await client.query<{ schema: string }>(
    `select n.nspname as schema from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relname = 'feed_state' and has_schema_privilege(n.oid, 'usage') and has_table_privilege(c.oid, 'select')`,
  );
  const names = feeds.map((feed) => feed.schema);
  const known = [schema, active ?? ""].find((name) => names.includes(name));
  const from = known ?? (active === null && names.length === 1 ? names[0] : undefined);
  if (from === undefined) return null;
  const { rows } = await client.query<{ epoch: string; newest: string }>(
    `select epoch, newest from ${pg.escapeIdentifier(from)}.feed_state`,
  );
  const [state] = rows;
  return state ? writePosition({ epoch: state.epoch, number: Number(state.newest) }) : null;
}

/** The first rows of an epoch: one for each chain, with the block that the feed begins after. */
async function noteStart(client: pg.ClientBase, previous: string | null): Promise<void> {
  const { rowCount } = await client.query(
    `insert into feed_changes (number, state, type, chain_id, block_number, block_hash, block_timestamp, details)
     select row_number() over (order by chain_id), 'new', 'feed.started', chain_id, number, hash, "timestamp",
       json_build_object('previous_position', $1::text) from feed_chains`,
    [previous],
  );
  await client.query("update feed_state set newest = $1", [rowCount ?? 0]);
}
