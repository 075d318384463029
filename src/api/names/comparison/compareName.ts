import type { Hex } from "viem";
import type { Queries } from "../../server/postgres/client.ts";
import { LiveFailure } from "../live/failure.ts";
import type { ContractReach } from "../live/multicall.ts";
import type { NodeBlock } from "../live/rpc.ts";
import { type Answered, askContracts } from "./askContracts.ts";
import { entryChecks, type StoredEntry } from "./entryChecks.ts";
import { type ComparisonSetting, listChecks, type StoredRows } from "./listChecks.ts";
import { type NamedKeys, namedKeys } from "./namedKeys.ts";
import { readRows } from "./readRows.ts";
import type { RecordKey } from "./stored.ts";

/** Texts of one name that are compared, and as many addresses: strangers decide how many a resolver has. */
export const MAX_COMPARED_RECORDS = 100;

/** Bytes of all that are compared: after these, the other records are left out. */
export const MAX_COMPARED_BYTES = 1_048_576;

export type NameComparison = Queries & {
  setting: ComparisonSetting;
  reach: ContractReach;
  node: Hex;
  /** The entry of ENSv2 that the name has; null for none. */
  entry: StoredEntry | null;
  /** Whether the row of the name waits for what its entry says. */
  isBehind: boolean;
  /** The block that the tables reflect. */
  indexed: { number: number; timestamp: number };
};

/** What came of the comparison of one name. */
export type ComparedName = {
  block: NodeBlock;
  rows: StoredRows;
  /** In the order of the checks. */
  answers: Answered[];
  /** Whether the resolver has more records than are compared. */
  hasMore: boolean;
};

/**
 * Compares all that the tables have of a name with what the contracts answer at the block of the tables. The block's hash is
 * read before the contracts are asked and after them, and has to be the same; its time has to be the one that the index has.
 *
 * @throws LiveFailure where it cannot be found out
 */
export async function compareName(plan: NameComparison): Promise<ComparedName> {
  const { query, setting, node } = plan;
  const { contracts } = setting;
  const keys = await namedKeys([node], { query, contracts, most: MAX_COMPARED_RECORDS + 1 });
  const records = firstOf(keys);
  const read = await readRows({ ...keys, records }, { query, contracts, at: null });
  const rows = { ...read, domains: read.domains.map((row) => ({ ...row, isChanged: plan.isBehind })) };
  const found = await inTime(plan.reach, () => askAndCompare(plan, rows));
  return { ...found, rows, hasMore: records.length < keys.records.length };
}

/** The first records of each sort, as far as their values may be read. */
function firstOf({ records, bytes }: NamedKeys): RecordKey[] {
  const counts = new Map<RecordKey["what"], number>();
  let read = 0;
  return records.filter(({ what }, i) => {
    const count = (counts.get(what) ?? 0) + 1;
    read += bytes[i] ?? 0;
    if (count > MAX_COMPARED_RECORDS || read > MAX_COMPARED_BYTES) return false;
    counts.set(what, count);
    return true;
  });
}

async function askAndCompare({ reach, setting, indexed, entry }: NameComparison, rows: StoredRows) {
  const { rpc, signal } = reach;
  const block = await rpc.block(indexed.number, signal);
  if (block?.timestamp !== indexed.timestamp) throw otherBlock(indexed.number);
  const checks = [
    ...listChecks(setting, rows, block.timestamp),
    ...(entry === null ? [] : entryChecks(entry, BigInt(block.timestamp))),
  ];
  const byCheck = new Map<Answered["check"], Answered>();
  await askContracts(checks, {
    ...reach,
    blockNumber: block.number,
    onAnswers: (answers) => {
      for (const answer of answers) byCheck.set(answer.check, answer);
    },
  });
  if ((await rpc.block(block.number, signal))?.hash !== block.hash) throw otherBlock(block.number);
  return { block, answers: checks.flatMap((check) => byCheck.get(check) ?? []) };
}

const otherBlock = (number: number) =>
  new LiveFailure(
    "rpc",
    `The node does not have block ${number} of the index: it is behind, or the chain is being reorganised.`,
  );

/** Says that the time is over, where that is why it failed. */
async function inTime<Result>({ signal }: ContractReach, ask: () => Promise<Result>): Promise<Result> {
  try {
    return await ask();
  } catch (error) {
    if (!signal.aborted || error instanceof LiveFailure) throw error;
    throw new LiveFailure("deadline", "The contracts did not answer in time.");
  }
}
