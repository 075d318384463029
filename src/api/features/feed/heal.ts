import type pg from "pg";
import { blockOf, chainOf, JOURNAL, readIndexer } from "../../../../engine/ponderInternals.ts";
import { reorgTableOf } from "../../../../engine/restorePoint.ts";
import type { LifeRules } from "../../names/rules/life.ts";
import { isLocked } from "../../server/postgres/changeCapture.ts";
import type { Queries } from "../../server/postgres/client.ts";
import { findDatabaseError } from "../../server/postgres/databaseErrors.ts";
import {
  advanceChain,
  type Chain,
  hasBlock,
  inSnapshot,
  isBehind,
  listChains,
  noteNewest,
} from "./advance.ts";
import { append, type Batch, mark } from "./batch.ts";
import { readFeed } from "./install.ts";
import { type Removed, TIME } from "./removals.ts";
import type { Source } from "./source.ts";
import { keySql, rowSql, sources } from "./sources.ts";
import { createFeedTriggers, createTouched, lockSources } from "./tables.ts";

/*
 * After a fault the notes of writes have a gap. But Ponder has notes of its own, by which it would undo a reorganisation: each row
 * as it was before each write since the final block. So the value that a follower holds is known again: that of the block on which
 * the feed stands, or, where another branch replaced it, of the last one before on which it stood, and what it said since. What the
 * tables have now is compared with it, as after any block.
 */

/** More rows than this are not compared while the indexer waits. */
export const MOST_HEALED = 10_000;

/** How it ended. `waiting`: the tables are in use, or about to change. `lost`: what followers hold is no longer known. */
export type Healing = "healed" | "waiting" | "lost";

/**
 * Heals a gap, in one transaction, for which the indexer waits. The table of notes and the triggers are made again: the fault may
 * be one of theirs. It is exact, or it is left: what is final has no former values, and a start of the indexer takes them away.
 */
export async function healFeed(
  client: pg.ClientBase,
  { schema, rules, onLeftOut }: { schema: string; rules: LifeRules } & Pick<Batch, "onLeftOut">,
): Promise<Healing> {
  const quoted = `"${schema}"`;
  try {
    return await inSnapshot(client, async (db) => {
      await db.query(lockSources(quoted));
      const indexer = await readIndexer((text) => db.query(text));
      const feed = await readFeed(db);
      if (!indexer?.isReady || feed === null) return "waiting";
      if (!feed.isOurs || feed.start !== indexer.startId) return "lost";
      const chains = await listChains(db);
      if (chains.some(isBehind)) return "waiting";
      const bases = await basesOf(db, chains);
      if (bases === null) return "lost";
      await db.query(createTouched(quoted));
      if (!(await noteFormerRows(db, bases))) throw new TooMuch();
      await db.query(createFeedTriggers(quoted));
      let { newest } = feed;
      for (const base of bases) {
        const batch = { db, chainId: base.chain.chainId, newest, onLeftOut };
        const said = await listSaid(batch, base);
        await append(batch, [mark("feed.healed", base.chain.now)]);
        await advanceChain(batch, base.chain, rules, { said });
        newest = batch.newest;
      }
      await db.query("update feed_state set gap_at = null, gap_reason = null, healed = healed + 1");
      await noteNewest(db, feed, { newest, start: indexer.startId });
      return "healed";
    });
  } catch (error) {
    if (isLocked(error)) return "waiting";
    if (error instanceof TooMuch || findDatabaseError(error, UNDEFINED) !== null) return "lost";
    throw error;
  }
}

/** PostgreSQL's undefined_table and undefined_column: Ponder's notes are not what they should be. */
const UNDEFINED = ["42P01", "42703"];

/** Undo: there are too many rows. */
class TooMuch extends Error {}

/**
 * A block of which followers had the state: `block`, and from which number on the feed said what came after it. All rows that were
 * written later are in Ponder's notes.
 */
type Base = { chain: Chain; block: number; from: number };

/** The base of each chain; null if one is missing. */
async function basesOf(db: Queries, chains: readonly Chain[]): Promise<Base[] | null> {
  const bases: Base[] = [];
  for (const chain of chains) {
    const base = await baseOf(db, chain);
    if (base === null) return null;
    bases.push(base);
  }
  return bases;
}

/**
 * The block as of which the feed is; where a branch replaced it, the newest block of the chain that ends what the feed said. The feed
 * stood on no other block: between two of them a value can go and come back, of which followers know nothing. What is older than the
 * final block has no former rows.
 */
async function baseOf(db: Queries, chain: Chain): Promise<Base | null> {
  const { chainId, said, nowFinal } = chain;
  if (nowFinal <= said.number && (await hasBlock({ db, chainId }, said)))
    return { chain, block: said.number, from: Number.MAX_SAFE_INTEGER };
  const [end] = await db.query<{ number: string; block: number }>(NEWEST_END, [chainId, nowFinal]);
  return end ? { chain, block: end.block, from: Number(end.number) } : null;
}

/** Old changes are removed in the order of their numbers: of a row that is there, all later ones are there. */
const NEWEST_END = `
  select f.number, f.block_number as block from feed_changes f
  join ${JOURNAL} b on b.chain_id = f.chain_id and b.number = f.block_number and b.hash = f.block_hash
  where f.type in ('block.ended', 'feed.started') and f.chain_id = $1 and f.block_number >= $2
  order by f.number desc limit 1`;

/** Notes each row that was written since the bases, as it was then. @returns false if there are too many */
async function noteFormerRows(db: Queries, bases: readonly Base[]): Promise<boolean> {
  const after = JSON.stringify(bases.map(({ chain, block }) => ({ chain: chain.chainId, block })));
  let noted = 0;
  for (const source of sources.values()) {
    const rows = await db.query(formerRows(source), [after, MOST_HEALED + 1 - noted]);
    noted += rows.length;
    if (noted > MOST_HEALED) return false;
  }
  return true;
}

const INSERTED = 0;

/** Ponder's notes have the block of their write. */
const formerRows = (source: Source): string => {
  const key = source.key.map(([column]) => `t.${column}`).join(", ");
  return `
    insert into feed_touched (chain_id, source, key, before)
    select distinct on (${key}) t.chain_id, '${source.table}', ${keySql(source, "t")},
      case when t.operation <> ${INSERTED} then ${rowSql(source, "t")} end
    from ${reorgTableOf(source.table)} t join jsonb_to_recordset($1::jsonb) as base (chain bigint, block bigint)
      on base.chain = ${chainOf("t.checkpoint")}::bigint and ${blockOf("t.checkpoint")}::bigint > base.block
    order by ${key}, t.operation_id limit $2 returning id`;
};

/** The value that the feed said last, of each value that it said something of since the base. */
const listSaid = ({ db, chainId }: Batch, { from }: Base): Promise<Removed[]> =>
  db.query<Removed>(
    `select distinct on (source, slot, key) source, slot, key, new_value as value from feed_changes
     where chain_id = $1 and source <> '${TIME}' and number > $2 order by source, slot, key, number desc`,
    [chainId, from],
  );
