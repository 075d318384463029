import { type Hex, numberToHex } from "viem";
import type { Answered } from "../../src/api/names/comparison/askContracts.ts";
import { NotComparable } from "../../src/api/names/comparison/check.ts";
import type { ContractCall } from "../../src/api/names/live/multicall.ts";
import type { Block } from "./node.ts";

/** Characters of a value that the result has: strangers decide how long texts are, and a thousand of them have to fit. */
const KEPT_LENGTH = 10_000;
/** Differences that the result has. Where there are more, something is wrong with the whole index. */
export const MAX_DIFFERENCES = 1_000;

export type Difference = {
  table: string;
  column: string;
  /** Why it was chosen. */
  kind: string;
  /** The name or address, and what of it. */
  of: string;
  index: string | null;
  chain: string | null;
  /** Path of the API that shows it. */
  path: string;
  /** JSON-RPC requests that show it; none where the row contradicts itself. */
  calls: NodeCall[];
};

export type NodeCall =
  | { method: "eth_call"; params: [{ to: Hex; data: Hex }, Hex] }
  | { method: "eth_getTransactionReceipt"; params: [string] };

/** What was compared, and what came of it. */
export type Result = {
  /** The block at which contracts were asked. */
  block: Block;
  /** Names, records and claims. */
  samples: number;
  /** Values that were compared, by table and column. */
  compared: Map<string, { values: number; differences: number }>;
  /** Names, records and claims, by the reason why they were chosen. */
  kinds: Map<string, number>;
  /** Values that could not be compared, by the reason. */
  notCompared: Map<string, number>;
  /** The first ones. */
  differences: Difference[];
  differenceCount: number;
};

export const emptyResult = (block: Block, kinds: readonly string[]): Result => ({
  block,
  samples: kinds.length,
  differences: [],
  differenceCount: 0,
  compared: new Map(),
  notCompared: new Map(),
  kinds: countBy(kinds),
});

const countBy = (words: readonly string[]): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
};

/** How many values were compared. */
export const valuesOf = ({ compared }: Result): number =>
  [...compared.values()].reduce((sum, { values }) => sum + values, 0);

/** Adds what one check found. */
export function noteAnswer(result: Result, { check, chain }: Answered): void {
  if (chain instanceof NotComparable) {
    noteNotCompared(result, chain.why);
    return;
  }
  const { table, column, kind, of, stored, path } = check;
  const calls = check.calls.map((call) => toRequest(call, result.block.number));
  const isShort = check.calls.every(({ callData }) => callData.length <= KEPT_LENGTH);
  noteValue(result, { table, column, kind, of, index: stored, chain, path, calls: isShort ? calls : [] });
}

/** Adds one value, with what index and chain say of it. */
export function noteValue(result: Result, value: Difference): void {
  const { of, index, chain } = value;
  const place = `${value.table}.${value.column}`;
  const counts = result.compared.get(place) ?? { values: 0, differences: 0 };
  counts.values += 1;
  result.compared.set(place, counts);
  if (chain === index) return;
  counts.differences += 1;
  result.differenceCount += 1;
  if (result.differences.length >= MAX_DIFFERENCES) return;
  result.differences.push({
    ...value,
    of: cut(of),
    index: index && cut(index),
    chain: chain && cut(chain),
  });
}

const cut = (text: string): string =>
  text.length > KEPT_LENGTH ? `${text.slice(0, KEPT_LENGTH)}… (${text.length} characters)` : text;

export function noteNotCompared({ notCompared }: Result, why: string, count = 1): void {
  notCompared.set(why, (notCompared.get(why) ?? 0) + count);
}

const toRequest = ({ target, callData }: ContractCall, block: number): NodeCall => ({
  method: "eth_call",
  params: [{ to: target, data: callData }, numberToHex(block)],
});
