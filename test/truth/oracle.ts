import type { ChainDeployment, ContractEntry } from "../../abis/deployments.ts";
import { type Logged, readLogged } from "./chainLogs.ts";
import { request } from "./chainReads.ts";
import { judgeAgents } from "./judgeAgents.ts";
import { judgeChanges } from "./judgeChanges.ts";
import { judgeDomains } from "./judgeDomains.ts";
import { judgeEvents } from "./judgeEvents.ts";
import { judgePrimaryNames } from "./judgePrimaryNames.ts";
import { judgeRecords } from "./judgeRecords.ts";
import { revealedLabels } from "./names.ts";

/** A row from PostgreSQL: big integers as text. */
export type Row = Record<string, unknown>;

/** The judged subject: an index that has reached the head of a chain that stands still meanwhile. */
export type Trial = {
  rpcUrl: string;
  deployment: ChainDeployment;
  /** Rows of a query that finds the index's tables without naming their schema. */
  query: (text: string) => Promise<Row[]>;
  /** Whether the index was allowed to read contracts at past blocks. */
  archiveReads: boolean;
};

/** Differences between index and chain in readable lines, and the number of comparisons. */
export type Verdict = { differences: string[]; counts: Record<string, number> };

/** The evidence shared by all parts of the judgement. */
export type Evidence = Trial &
  Logged & {
    /** Unix time of the newest block. */
    now: bigint;
    revealed: Map<`0x${string}`, string>;
    /** Records a difference. */
    differ: (line: string) => void;
    /** Adds to a counter of the verdict. */
    count: (what: string, by?: number) => void;
  };

/**
 * Compares the whole index with the contracts' answers and the chain's logs. It has no model of ENS: it asks the contracts for
 * the state of every node in any log or row, and takes the history from the chain's own list of logs.
 */
export async function judge(trial: Trial): Promise<Verdict> {
  const differences: string[] = [];
  const counts: Record<string, number> = {};
  const logged = await readLogged(trial.rpcUrl, trial.deployment);
  const head = await request<{ timestamp: `0x${string}` }>(trial.rpcUrl, "eth_getBlockByNumber", [
    "latest",
    false,
  ]);
  const evidence: Evidence = {
    ...trial,
    ...logged,
    now: BigInt(head.timestamp),
    revealed: revealedLabels(logged.logs, (log) => logged.transactions.get(log.transactionHash)?.from),
    differ: (line) => differences.push(line),
    count: (what, by = 1) => {
      counts[what] = (counts[what] ?? 0) + by;
    },
  };
  for (const line of logged.unexplained) evidence.differ(`log without a meaning: ${line}`);
  await judgeEvents(evidence);
  await judgeDomains(evidence);
  await judgeChanges(evidence);
  await judgeRecords(evidence);
  await judgePrimaryNames(evidence);
  await judgeAgents(evidence);
  return { differences, counts };
}

/** The contract of a role and generation, or undefined if the deployment has none. */
export const contractOf = (
  { deployment }: Pick<Trial, "deployment">,
  role: ContractEntry["role"],
  generation?: number,
): ContractEntry | undefined =>
  deployment.contracts.find(
    (entry) => entry.role === role && (generation === undefined || entry.generation === generation),
  );

/** A value for comparison: null and undefined alike, integers as decimal strings, hex in lower case. */
export const plain = (value: unknown): string | null =>
  value === null || value === undefined ? null : String(value).toLowerCase();

/** The zero address, and no answer, as "none". */
export const orNone = (address: string | null | undefined): string | null =>
  address === null || address === undefined || /^0x0+$/.test(address) ? null : address.toLowerCase();

/** Records every column of a row that differs from the expected value. */
export function compare(
  { differ, count }: Pick<Evidence, "differ" | "count">,
  what: string,
  row: Row,
  expected: Row,
): void {
  count("values");
  for (const [column, value] of Object.entries(expected)) {
    if (plain(row[column]) === plain(value)) continue;
    differ(`${what}: ${column} is ${show(row[column])}, chain says ${show(value)}`);
  }
}

/** A value in a line of text. */
export const show = (value: unknown): string => {
  const text = value === null || value === undefined ? "none" : JSON.stringify(String(value));
  return text.length > 160 ? `${text.slice(0, 160)}… (${text.length})` : text;
};
