// Part of the patch blockJournal: the journal is written in the transactions that write, undo and recover rows.

import { type Connection, executeAs } from "../connection.ts";
import { JOURNAL } from "../ponderInternals.ts";
import { JOURNAL_BLOCKS, type JournalBlock, journalSql } from "./sql.ts";

/** A block as Ponder has it of the node. */
type NodeBlock = { number: string; hash: string; parentHash: string; timestamp: string };

const execute = executeAs("block_journal");

const toBlock = (chainId: number, { number, hash, parentHash, timestamp }: NodeBlock): JournalBlock => ({
  chainId,
  number: Number(number),
  hash: hash.toLowerCase(),
  parentHash: parentHash.toLowerCase(),
  timestamp: Number(timestamp),
});

const keyOf = ({ chainId, number }: JournalBlock): string => `${chainId} ${number}`;

/**
 * False for the journal: Ponder must not undo it as it does other tables. It would count each block as a change of rows, so that
 * a reorganisation of blocks without logs would undo rows of other chains, which nothing brings back.
 */
export const isUndoneByPonder = (tableName: string): boolean => tableName !== JOURNAL;

/** What a start took out of the journal, by the points that Ponder hands from there to its loop. */
const takenAtStart = new WeakMap<object, JournalBlock[]>();

/** More than are between a restore point and the newest block of a chain, unless another chain stood still for hours. */
const MOST_TAKEN_AT_START = 20_000;

/** Takes the journal to where a start takes the tables, in the same transaction. */
export async function recoverBlocks(tx: Connection, schema: string, points: object): Promise<void> {
  const sql = journalSql(schema);
  const taken = await execute<JournalBlock>(tx, sql.takeBackToSafe);
  takenAtStart.set(points, taken.length <= MOST_TAKEN_AT_START ? taken : []);
  await execute(tx, sql.notify);
}

/** A chain of an index in the backfill: its last final block, and the block where its contracts end. */
type Progress = { finalized: NodeBlock; end?: NodeBlock };

/**
 * The journal of one run of Ponder.
 *
 * A reorganisation of one chain undoes rows of other chains' blocks, which come back with the next block of any chain. Meanwhile
 * the tables do not stand on these blocks, so they are not in the journal: they wait here. If the process ends, the next start
 * takes back more than that.
 *
 * @param points what a start took the tables back to; undefined where there were none
 */
export function createBlockJournal(schema: string, points?: object) {
  const sql = journalSql(schema);
  /** Blocks of chains that were not reorganised, whose rows return with the next block. */
  let waiting: JournalBlock[] = [];
  /** What waits once the transaction is committed. Transactions are tried again: so nothing is forgotten before. */
  let next: Map<string, JournalBlock> | null = null;

  const write = async (tx: Connection, blocks: readonly JournalBlock[]) => {
    for (const text of sql.insert(blocks)) await execute(tx, text);
  };

  return {
    /** A batch of the backfill is written: the tables now represent block `to` of the chain. */
    async addRange(
      tx: Connection,
      { chainId, from, to, progress }: { chainId: number; from: number; to: number; progress: Progress },
    ): Promise<void> {
      const newest = Number(progress.finalized.number) - JOURNAL_BLOCKS;
      await execute(tx, sql.insertCached({ chainId, from, to, newest }));
      const last = [progress.finalized, progress.end].find((block) => block && Number(block.number) === to);
      if (last !== undefined) await write(tx, [toBlock(chainId, last)]);
      await execute(tx, sql.notify);
    },

    /** The backfill is over: what the start took out comes back as far as it belongs to the chain's last final block. */
    async endBackfill(
      tx: Connection,
      chains: ReadonlyMap<{ id: number }, { syncProgress: Progress }>,
    ): Promise<void> {
      for (const [{ id }, { syncProgress }] of chains) {
        const final = toBlock(id, syncProgress.finalized);
        await execute(tx, sql.insertFirst(final));
        await write(tx, ancestorsOf(final, takenAtStart.get(points ?? {}) ?? []));
      }
    },

    /** A block of the node is written, and with it what waited. */
    async add(tx: Connection, chainId: number, block: NodeBlock): Promise<void> {
      await write(tx, [...waiting, toBlock(chainId, block)]);
      next = new Map();
      await execute(tx, sql.notify);
    },

    /** A chain goes back to block `number`. Call it before Ponder undoes the rows. */
    async takeBack(
      tx: Connection,
      plan: { chainId: number; number: number; checkpoint: string; tables: readonly string[] },
    ): Promise<void> {
      const taken = await execute<JournalBlock>(tx, sql.takeBack(plan));
      const isLost = ({ chainId, number }: JournalBlock) => chainId === plan.chainId && number > plan.number;
      next ??= new Map(waiting.map((block) => [keyOf(block), block]));
      for (const block of taken) next.set(keyOf(block), block);
      for (const [key, block] of next) if (isLost(block)) next.delete(key);
      await execute(tx, sql.notify);
    },

    /** The transaction of `add` or `takeBack` is committed. */
    committed(): void {
      if (next !== null) waiting = [...next.values()];
      next = null;
    },

    /** Blocks became final: removes what is too old, and notifies listeners. */
    async finalize(connection: Connection, chainId: number): Promise<void> {
      await execute(connection, sql.prune(chainId));
      await execute(connection, sql.notify);
    },
  };
}

/** Those of the blocks that precede a chain's block without a gap. */
function ancestorsOf(block: JournalBlock, blocks: readonly JournalBlock[]): JournalBlock[] {
  const byNumber = new Map(
    blocks.filter(({ chainId }) => chainId === block.chainId).map((one) => [one.number, one]),
  );
  const found: JournalBlock[] = [];
  for (let last = block; ; ) {
    const parent = byNumber.get(last.number - 1);
    if (parent?.hash !== last.parentHash) return found;
    found.push(parent);
    last = parent;
  }
}
