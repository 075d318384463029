// Part of the patch logSync: a block is not asked for where its logs tell all that is needed of it.

import type { Block, NodeLog, Transaction } from "./cacheRows.ts";
import type { Hex } from "./logGroups.ts";

/** Times from here on are milliseconds: in seconds this is the year 5138. */
const MILLISECONDS = 1e11;

/** The time of a log's block, in seconds; null where the node does not tell it. Some nodes say zero then. */
function timeIn({ blockTimestamp }: NodeLog): number | null {
  const time = Number(blockTimestamp ?? 0);
  if (!(time > 0)) return null;
  return time < MILLISECONDS ? time : Math.floor(time / 1_000);
}

/** An answer of a node that cannot be true. */
const inconsistent = (what: string): Error => new Error(`Inconsistent RPC response data. ${what}`);

/** The block as its logs describe it; undefined if none of them has its time. @throws Error if they differ */
export function blockIn(logs: readonly NodeLog[]): Block | undefined {
  const [first] = logs;
  const times = new Set(logs.map(timeIn).filter((time) => time !== null));
  const [time] = times;
  if (first === undefined || time === undefined) return undefined;
  if (times.size > 1) {
    const told = [...times].join(" and ");
    throw inconsistent(`The logs of block ${Number(first.blockNumber)} tell two times of it: ${told}.`);
  }
  return thinBlock({
    number: first.blockNumber,
    hash: first.blockHash,
    timestamp: `0x${time.toString(16)}`,
  });
}

/** What the cache has in the place of words of a block that its logs do not tell. */
export const UNKNOWN = "0x";

/** Nothing reads the other columns of a block, and they would be the largest part of the cache. */
const thinBlock = (told: Block) => ({
  ...told,
  parentHash: UNKNOWN,
  logsBloom: UNKNOWN,
  miner: UNKNOWN,
  stateRoot: UNKNOWN,
  receiptsRoot: UNKNOWN,
  transactionsRoot: UNKNOWN,
  extraData: UNKNOWN,
  gasUsed: "0x0",
  gasLimit: "0x0",
  size: "0x0",
  difficulty: "0x0",
});
/** Makes a check that times never fall from a block to later ones. Blocks can come again: Ponder repeats what failed. */
export function checkTimes(): (block: Block) => void {
  let newest: Block | undefined;
  return (block) => {
    const before = newest;
    newest = block;
    if (before === undefined || Number(before.number) >= Number(block.number)) return;
    if (Number(before.timestamp) <= Number(block.timestamp)) return;
    newest = before;
    const [later, earlier] = [block, before].map(({ number, timestamp }) => [number, timestamp].map(Number));
    throw inconsistent(
      `Block ${later?.[0]} has the time ${later?.[1]}, but block ${earlier?.[0]} before it ${earlier?.[1]}.`,
    );
  };
}

type Place = { blockHash: Hex; transactionHash: Hex; transactionIndex: Hex | number };

/** @throws Error if a transaction is not the one that a log names */
export function checkTransaction(log: Place, { hash, blockHash, transactionIndex }: Transaction): void {
  const isSame =
    hash.toLowerCase() === log.transactionHash.toLowerCase() &&
    blockHash.toLowerCase() === log.blockHash.toLowerCase() &&
    Number(transactionIndex) === Number(log.transactionIndex);
  if (isSame) return;
  throw inconsistent(
    `A log names transaction ${log.transactionHash} at index ${Number(log.transactionIndex)} of block ${log.blockHash}, but the answer is ${hash} at index ${Number(transactionIndex)} of ${blockHash}.`,
  );
}

/** The transactions that came with logs of a block, each once. */
export function transactionsIn(logs: readonly NodeLog[]): Transaction[] {
  const byHash = new Map<Hex, Transaction>();
  for (const log of logs) {
    if (log.transaction === undefined) continue;
    checkTransaction(log, log.transaction);
    byHash.set(log.transactionHash, log.transaction);
  }
  return [...byHash.values()];
}
