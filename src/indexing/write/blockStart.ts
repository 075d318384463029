import type { Context } from "ponder:registry";
import { applyGivenLabels } from "./applyLabels.ts";
import { applyTransactions } from "./applyTransactions.ts";
import { resumeWork } from "./blockQueue.ts";
import type { LogRef } from "./logRef.ts";

/** Where this process last began a block, by chain. */
const begun = new Map<number, Pick<LogRef, "blockHash" | "logIndex">>();

/**
 * Does what waits for a block: work that earlier blocks left, labels that others than the chain's logs gave, and past
 * transactions that came late. The first log of a block does, whatever it says; the others need not look. A block that is
 * indexed again looks again, and so does one that takes its place in a reorganisation. Writes: as {@link resumeWork},
 * {@link applyGivenLabels} and {@link applyTransactions}.
 */
export async function startBlock(context: Context, log: LogRef): Promise<void> {
  const { chainId, blockHash, logIndex } = log;
  const last = begun.get(chainId);
  if (last?.blockHash === blockHash && last.logIndex < logIndex) return;
  begun.set(chainId, { blockHash, logIndex });
  await resumeWork(context, log);
  await applyGivenLabels(context, log);
  await applyTransactions(context, log);
}
