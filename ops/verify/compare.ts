import { setTimeout as sleep } from "node:timers/promises";
import { askContracts } from "../../src/api/names/comparison/askContracts.ts";
import { comparisonSetting, listChecks, type StoredRows } from "../../src/api/names/comparison/listChecks.ts";
import { liveContractsOf } from "../../src/api/names/live/deployment.ts";
import type { Rpc } from "../../src/api/names/live/rpc.ts";
import { type Block, type Node, NodeError, readBlock } from "./node.ts";
import { emptyResult, noteAnswer, noteNotCompared, type Result } from "./result.ts";
import { type Snapshot, type SnapshotPlan, takeSnapshot } from "./snapshot.ts";

export type ComparePlan = SnapshotPlan & {
  node: Node;
  rpc: Rpc;
  signal: AbortSignal;
  /** Gets the result, which then grows, and how many values there are; hears of each part of them. */
  watch?: (result: Result, all: number) => (added: number) => void;
};

/** How often rows are read again because the chain was reorganised meanwhile. */
const ATTEMPTS = 3;
/** How long the index may take to follow a reorganisation, and the node to receive a block that the index has. */
const PAUSE_MS = 2_000;

/**
 * Compares rows of the index with contract answers at one block. The block's hash is read before and after and must not
 * change; its time must equal the index's.
 *
 * @throws CommandError, NodeError or LiveFailure where it cannot be found out
 */
export async function compare(plan: ComparePlan): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    const snapshot = await takeSnapshot(plan);
    const block = await findBlock(plan, snapshot);
    const result = block && (await askAndCompare(plan, { snapshot, block }));
    if (result && (await readBlock(plan.node, result.block.number))?.hash === result.block.hash)
      return result;
    if (attempt === ATTEMPTS) throw new NodeError(explain(plan, snapshot));
    await sleep(PAUSE_MS, undefined, { signal: plan.signal });
  }
}

const explain = ({ at }: ComparePlan, { indexed }: Snapshot): string =>
  at === null
    ? `the node does not have the index's block ${indexed.number}: it is behind, serves another chain, or the chain is being reorganised`
    : `the node does not have block ${at}`;

/** The block at which to ask; null if the node does not have the one that the index has. */
async function findBlock({ node, at }: ComparePlan, { indexed }: Snapshot): Promise<Block | null> {
  const newest = await readBlock(node, indexed.number);
  if (newest?.timestamp !== indexed.timestamp) return null;
  return at === null || at === indexed.number ? newest : readBlock(node, at);
}

type Task = { snapshot: StoredRows; block: Block };

/** Asks the contracts at a block for what rows say of it. */
async function askAndCompare(
  plan: Pick<ComparePlan, "rpc" | "deployment" | "signal" | "watch">,
  { snapshot, block }: Task,
): Promise<Result> {
  const { rpc, deployment, signal, watch } = plan;
  const { multicall3 } = liveContractsOf(deployment);
  const rows = [...snapshot.domains, ...snapshot.records, ...snapshot.claims];
  const result = emptyResult(
    block,
    rows.map(({ kind }) => kind),
  );
  const changed = rows.filter(({ isChanged }) => isChanged).length;
  if (changed > 0) noteNotCompared(result, `changed after block ${block.number}`, changed);
  const checks = listChecks(comparisonSetting(deployment), snapshot, block.timestamp);
  const hear = watch?.(result, checks.length);
  await askContracts(checks, {
    rpc,
    multicall3,
    signal,
    blockNumber: block.number,
    onAnswers: (answers) => {
      for (const answer of answers) noteAnswer(result, answer);
      hear?.(answers.length);
    },
  });
  return result;
}
