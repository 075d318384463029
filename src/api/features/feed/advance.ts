import type pg from "pg";
import { JOURNAL, readIndexer } from "../../../../engine/ponderInternals.ts";
import type { LifeRules } from "../../names/rules/life.ts";
import { inTransaction, type Queries, queriesOf } from "../../server/postgres/client.ts";
import { append, type Batch, type BlockAt, mark } from "./batch.ts";
import { appendDifferences } from "./changes.ts";
import { feedChannel } from "./channel.ts";
import { type Feed, readFeed } from "./install.ts";
import { type Removed, removeLost } from "./removals.ts";
import { addChains, CHAINS_NOW, FINAL } from "./tables.ts";
import { appendTimes, removeUntrueTimes } from "./times.ts";

/** More rows than this are not compared at once: after so long a time readers are better off with the state itself. */
export const MOST_TOUCHED = 500_000;

/** The outcome of a look at the index. `gap`: writes may be missing in its notes. `lost`: no feed can be continued. */
export type Outcome = "advanced" | "not ready" | "gap" | "lost";

/** A chain of the index, and what the feed says of it. */
export type Chain = {
  chainId: number;
  /** The last block covered by the feed. */
  said: BlockAt;
  finalNumber: number;
  /** On which block the tables stand. */
  now: BlockAt;
  nowFinal: number;
};

/**
 * Brings the feed to the state of the tables, in one transaction, which sees one state. A chain whose tables stand lower than the
 * feed waits: a reorganisation or a start took rows back, and they, or others, are about to come. So the feed says only what is so
 * at the end of a block, and of what went and came back nothing.
 */
export const advanceFeed = (
  client: pg.ClientBase,
  rules: LifeRules,
  onLeftOut: Batch["onLeftOut"] = () => {},
): Promise<Outcome> => inSnapshot(client, (db) => advanceAll(db, rules, onLeftOut));

/** Does the work in one transaction, which sees the tables as its first query does; locks are taken before that. */
export async function inSnapshot<T>(client: pg.ClientBase, work: (db: Queries) => Promise<T>): Promise<T> {
  return inTransaction(client, async () => {
    await client.query("set transaction isolation level repeatable read");
    await client.query(`set local lock_timeout = ${LOCK_WAIT_MS}`);
    return work(queriesOf(client));
  });
}

/** A reorganisation locks all tables for a while; the next look sees what came of it. */
const LOCK_WAIT_MS = 500;

async function advanceAll(db: Queries, rules: LifeRules, onLeftOut: Batch["onLeftOut"]): Promise<Outcome> {
  const indexer = await readIndexer((text) => db.query(text));
  if (!indexer?.isReady) return "not ready";
  const feed = await readFeed(db);
  if (!feed?.isOurs) return "lost";
  if (feed.hasGap) return "gap";
  if (await isTooMuch(db)) return "lost";
  let { newest } = feed;
  for (const chain of await listChains(db)) {
    if (isBehind(chain)) continue;
    const batch = { db, chainId: chain.chainId, newest, onLeftOut };
    await advanceChain(batch, chain, rules);
    newest = batch.newest;
  }
  await noteNewest(db, feed, { newest, start: indexer.startId });
  return "advanced";
}

/** Whether a chain's tables are behind the feed: they are about to catch up, or another branch follows. */
export const isBehind = ({ now, said }: Chain): boolean => now.number < said.number;

/** How old the writer's sign of life may get before it gives the next one. */
const SIGN_SECONDS = 10;

/** Says how far the feed is, where that is new, and that the writer is alive. */
export async function noteNewest(
  db: Queries,
  feed: Pick<Feed, "newest" | "start">,
  now: Pick<Feed, "newest" | "start">,
): Promise<void> {
  await db.query(
    `update feed_state set newest = $1, start = $2, looked_at = now()
     where (newest, start) is distinct from ($1, $2) or looked_at < now() - interval '${SIGN_SECONDS} seconds'`,
    [now.newest, now.start],
  );
  if (now.newest === feed.newest) return;
  await db.query("select pg_notify($1 || current_schema(), '')", [feedChannel("")]);
}

const isTooMuch = async (db: Queries): Promise<boolean> =>
  (await db.query(`select from feed_touched offset ${MOST_TOUCHED} limit 1`)).length > 0;

/** The chains with a block. One that is new to the feed starts at its present block. */
export async function listChains(db: Queries): Promise<Chain[]> {
  await db.query(addChains);
  const rows = await db.query<Record<string, string | number>>(
    `select c.chain_id::int as id, f.number as said_number, f.hash as said_hash, f."timestamp"::float8 as said_time,
       f.final_number, b.number, b.hash, b."timestamp"::float8 as time, ${FINAL} as final
     from ${CHAINS_NOW} join feed_chains f on f.chain_id = c.chain_id order by c.chain_id`,
  );
  return rows.map((row) => ({
    chainId: Number(row.id),
    said: {
      number: Number(row.said_number),
      hash: String(row.said_hash),
      timestamp: Number(row.said_time),
    },
    finalNumber: Number(row.final_number),
    now: { number: Number(row.number), hash: String(row.hash), timestamp: Number(row.time) },
    nowFinal: Number(row.final),
  }));
}

/** Where there was a gap, `said` is what the feed says of each value that it said something of since the block where healing begins. */
type Gap = { said: readonly Removed[] };

/** Brings the feed of one chain to the state of its tables. */
export async function advanceChain(
  batch: Batch,
  chain: Chain,
  rules: LifeRules,
  gap: Gap | null = null,
): Promise<void> {
  const { said, now, finalNumber, nowFinal } = chain;
  const begin = batch.newest;
  if (gap !== null || (await isAhead(batch, chain))) {
    const isSameBranch = await hasBlock(batch, said);
    const from = isSameBranch ? said.number : Math.min(finalNumber, said.number);
    const removed = isSameBranch ? [] : await removeLost(batch, { finalNumber });
    if (!isSameBranch) await removeUntrueTimes(batch, rules, { finalNumber, to: now });
    await appendDifferences(batch, [...(gap?.said ?? []), ...removed], { from, to: now });
    // Another branch can reach what the one before had renewed: all since the last final block is looked at again.
    const after = isSameBranch ? said.timestamp : await timeBefore(batch, chain);
    await appendTimes(batch, rules, { after, to: now });
    if (batch.newest > begin) await append(batch, [mark("block.ended", now)]);
  }
  if (nowFinal > finalNumber) await appendFinal(batch, chain);
  await batch.db.query(
    `update feed_chains set number = $2, hash = $3, "timestamp" = $4, final_number = greatest(final_number, $5)
     where chain_id = $1 and (number, hash, final_number) is distinct from ($2, $3, greatest(final_number, $5))`,
    [batch.chainId, now.number, now.hash, now.timestamp, nowFinal],
  );
}

/** The time of the final block, or that at which the epoch began, if that is later. */
async function timeBefore({ db, chainId }: Batch, { said, finalNumber }: Chain): Promise<number> {
  const [row] = await db.query<{ time: number | null }>(
    `select greatest(
       (select "timestamp" from ${JOURNAL} where chain_id = $1 and number <= $2 order by number desc limit 1),
       (select max(block_timestamp) from feed_changes where chain_id = $1 and type = 'feed.started' and number <= ${MOST_CHAINS})
     )::float8 as time`,
    [chainId, finalNumber],
  );
  return Math.min(said.timestamp, row?.time ?? said.timestamp);
}

/** The first rows of an epoch are one for each chain; there are never more of these. */
const MOST_CHAINS = 100;

/** Whether there may be something new: another block, or rows that were written. */
async function isAhead({ db, chainId }: Batch, { said, now }: Chain): Promise<boolean> {
  if (said.hash !== now.hash) return true;
  return (await db.query("select from feed_touched where chain_id = $1 limit 1", [chainId])).length > 0;
}

/** Whether the block is the chain's. One that the journal does not have may be: a start can leave out blocks without logs. */
export async function hasBlock(
  { db, chainId }: Pick<Batch, "db" | "chainId">,
  { number, hash }: BlockAt,
): Promise<boolean> {
  const rows = await db.query<{ hash: string }>(
    `select hash from ${JOURNAL} where chain_id = $1 and number = $2`,
    [chainId, number],
  );
  return rows[0]?.hash === hash;
}

/** Marks changes as final, if there are any between the previous final block and the present one. */
async function appendFinal(batch: Batch, { finalNumber, nowFinal }: Chain): Promise<void> {
  const [newest] = await batch.db.query<BlockAt>(
    `select b.number, b.hash, b."timestamp"::float8 as "timestamp" from ${JOURNAL} b
     where b.chain_id = $1 and b.number <= $3 and exists (
       select from feed_changes where chain_id = $1 and state = 'new' and not is_taken_back and source is not null
         and block_number > $2 and block_number <= $3)
     order by b.number desc limit 1`,
    [batch.chainId, finalNumber, nowFinal],
  );
  if (newest) await append(batch, [mark("chain.finalized", newest)]);
}
