// Part of the patch logSync: compares samples of a source with the operator's node before its logs are stored.

import { randomInt } from "node:crypto";
import { type NodeLog, storable } from "../backfill/cacheRows.ts";
import type { Hex, Interval } from "../backfill/logGroups.ts";
import { type Receipt, receiptsRoot } from "./receiptsRoot.ts";

export type Sample = {
  /** The logs of one in this many blocks are compared. */
  rangeShare: number;
  /** For this many blocks, one with logs and any other one are compared completely. */
  blocksPerSample: number;
};

const SAMPLE: Sample = { rangeShare: 100, blocksPerSample: 25_000 };

/** A block in which source and node differ, and how. */
export type Difference = { block: number; what: string };

export type Header = { hash: Hex; timestamp: Hex; receiptsRoot: Hex };

/** Reads the compared blocks from the operator's node. */
export type CheckedBy = {
  /** The wanted logs of a range. */
  logs: (interval: Interval) => Promise<NodeLog[]>;
  header: (block: number) => Promise<Header>;
  /** All receipts of a block; null if the node does not provide them. */
  receipts: (block: number) => Promise<Receipt[] | null>;
  /** The transaction of a log; null if the node does not have it. */
  transaction: (log: NodeLog) => Promise<ReadTransaction | null>;
  /** Whether a log is part of the comparison. */
  isCompared: (log: NodeLog) => boolean;
};

/** What handlers read of a transaction. */
export type ReadTransaction = { from: Hex; to: Hex | null; input: Hex; value: Hex };

type Given = { interval: Interval; logs: readonly NodeLog[] };

/**
 * Compares a sample of a range, and the complete receipts of some blocks with and without logs.
 *
 * @returns the first block that differs, even after asking the node again; null if none does
 */
export async function findDifference(
  given: Given,
  node: CheckedBy,
  { rangeShare, blocksPerSample } = SAMPLE,
): Promise<Difference | null> {
  const [from, to] = given.interval;
  const share = Math.ceil((to - from + 1) / rangeShare);
  const first = from + randomInt(to - from + 2 - share);
  const found = await inRange(given.logs, [first, first + share - 1], node);
  if (found !== null) return inRange(given.logs, [found.block, found.block], node);
  for (const block of sampled(given, blocksPerSample)) {
    const difference = (await inBlock(given.logs, block, node)) && (await inBlock(given.logs, block, node));
    if (difference !== null) return difference;
  }
  return null;
}

/** A number of blocks in proportion to the range, chosen so that the source cannot predict them. */
function sampled({ interval: [from, to], logs }: Given, blocksPerSample: number): number[] {
  const samples = Math.floor(to / blocksPerSample) - Math.floor((from - 1) / blocksPerSample);
  const withLogs = [...new Set(logs.map(({ blockNumber }) => Number(blockNumber)))];
  const withSome = Array.from(
    { length: withLogs.length === 0 ? 0 : samples },
    () => withLogs[randomInt(withLogs.length)],
  );
  const any = Array.from({ length: samples }, () => from + randomInt(to - from + 1));
  return [...withSome, ...any].filter((block) => block !== undefined);
}

async function inRange(
  logs: readonly NodeLog[],
  [from, to]: Interval,
  node: CheckedBy,
): Promise<Difference | null> {
  const isInside = ({ blockNumber }: NodeLog) => from <= Number(blockNumber) && Number(blockNumber) <= to;
  return differenceOf(logs.filter(isInside), await node.logs([from, to]));
}

async function inBlock(all: readonly NodeLog[], block: number, node: CheckedBy): Promise<Difference | null> {
  const logs = all.filter(({ blockNumber }) => Number(blockNumber) === block);
  const header = await node.header(block);
  for (const log of logs) {
    if (log.blockHash !== header.hash)
      return { block, what: `its hash is ${header.hash}, not ${log.blockHash}` };
    // Some of them are the node's own logs, and some nodes give no time, or milliseconds.
    const [told, time] = [Number(log.blockTimestamp ?? 0), Number(header.timestamp)];
    if (told > 0 && told !== time && Math.floor(told / 1_000) !== time) {
      return { block, what: `its time is ${time}, not ${told}` };
    }
  }
  const withTransaction = logs.filter((log) => log.transaction !== undefined);
  if (withTransaction.length > 0) {
    const log = withTransaction[randomInt(withTransaction.length)] as NodeLog;
    const theirs = await node.transaction(log);
    const ours = log.transaction as unknown as ReadTransaction;
    if (theirs !== null && readOf(ours) !== readOf(theirs)) {
      return { block, what: `transaction ${log.transactionHash} has other content` };
    }
  }
  const receipts = await node.receipts(block);
  // Receipts of some layer 2s have unknown forms: their root proves nothing.
  if (receipts === null || receiptsRoot(receipts) !== header.receiptsRoot)
    return inRange(logs, [block, block], node);
  return differenceOf(
    logs,
    receipts.flatMap((receipt) => receipt.logs.map(storable)).filter(node.isCompared),
  );
}

const placeOf = ({ blockNumber, logIndex }: NodeLog): string => `${Number(blockNumber)} ${Number(logIndex)}`;

const contentOf = ({
  blockHash,
  transactionHash,
  transactionIndex,
  address,
  topics,
  data,
}: NodeLog): string =>
  JSON.stringify([blockHash, transactionHash, Number(transactionIndex), address, topics, data]).toLowerCase();

const readOf = ({ from, to, input, value }: ReadTransaction): string =>
  JSON.stringify([from, to, input, BigInt(value).toString()]).toLowerCase();

/** The first difference between logs of a source and those of the node. */
function differenceOf(ours: readonly NodeLog[], theirs: readonly NodeLog[]): Difference | null {
  const given = new Map(ours.map((log) => [placeOf(log), log]));
  const differences: Difference[] = [];
  for (const log of theirs) {
    const place = placeOf(log);
    const same = given.get(place);
    given.delete(place);
    const block = Number(log.blockNumber);
    const name = `log ${Number(log.logIndex)}`;
    if (same === undefined) differences.push({ block, what: `${name} is missing` });
    else if (contentOf(same) !== contentOf(log))
      differences.push({ block, what: `${name} has other content` });
  }
  for (const log of given.values()) {
    differences.push({ block: Number(log.blockNumber), what: `the node has no log ${Number(log.logIndex)}` });
  }
  return differences.sort((a, b) => a.block - b.block)[0] ?? null;
}
