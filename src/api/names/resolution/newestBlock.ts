import { LATE_SECONDS } from "../../../../settings/freshness.ts";
import { listProgress, readIndexerState } from "../../server/indexState/progress.ts";
import type { Db } from "../../server/postgres/db.ts";
import type { Block } from "../../server/serviceDb/liveAnswers.ts";
import type { Live } from "../live/live.ts";

/**
 * The block at which live answers are read. As a rule it is the newest block of the index: both halves of an answer are
 * then of the same block, and no call is needed to find it. If the index is known to be late (its indexer is not
 * running, or the clock has gone on), it is the newest block of the chain by the live nodes.
 *
 * @throws LiveFailure when the index is late and no live node answers
 */
export async function newestBlock(
  { db, live }: { db: Db; live: Live },
  { chainId, clock }: { chainId: number; clock: number | null },
): Promise<Block> {
  const [state, chains] = await Promise.all([readIndexerState(db), listProgress(db)]);
  const indexed = chains.find((chain) => chain.chainId === chainId);
  const isLate = clock !== null && indexed !== undefined && clock - indexed.blockTimestamp > LATE_SECONDS;
  if (indexed !== undefined && state.isRunning && !isLate) {
    return { number: indexed.blockNumber, timestamp: indexed.blockTimestamp };
  }
  return { number: Math.max(await live.newestBlock(), indexed?.blockNumber ?? 0), timestamp: 0 };
}
