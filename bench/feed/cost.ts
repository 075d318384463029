import { setTimeout as sleep } from "node:timers/promises";
import { readMetrics } from "../index/metrics.ts";
import type { Figure } from "../report.ts";
import type { FeedStage } from "./stage.ts";

/** The most of a block's time that the feed may take. */
const MAX_SHARE = 5;

/** PostgreSQL's sessions say what they counted this long after their last transaction, at the latest. */
const COUNTED_AFTER_MS = 11_000;

/** Time of the triggers and of whole blocks, from their arrival to their commit, in milliseconds. */
async function readTimes({ stack }: FeedStage): Promise<{ triggers: number; blocks: number; count: number }> {
  await sleep(COUNTED_AFTER_MS);
  const [row] = await stack.sql<{ ms: number | null }>(
    `select sum(total_time)::float8 as ms from pg_stat_user_functions where schemaname = $1 and funcname like 'feed\\_%'`,
    [stack.schema],
  );
  const metrics = await readMetrics(`${stack.metricsUrl}/metrics`);
  return {
    triggers: row?.ms ?? 0,
    blocks: metrics.sum("ponder_realtime_latency_sum"),
    count: metrics.sum("ponder_realtime_latency_count"),
  };
}

/**
 * What the feed costs the indexer: the time that its triggers take in the transactions of blocks, as a share of the time from a
 * block's arrival to its commit. The writer reads after the commit, in a session of its own.
 */
export async function measureCost(
  stage: FeedStage,
  { blocks, changes }: { blocks: number; changes: number },
): Promise<Figure[]> {
  const before = await readTimes(stage);
  for (let i = 0; i < blocks; i++) await stage.change(changes);
  const after = await readTimes(stage);
  const all = after.blocks - before.blocks;
  const triggers = after.triggers - before.triggers;
  if (!(triggers > 0)) throw new Error("PostgreSQL counted no time of the feed's triggers");
  const of = `${changes} changes a block`;
  return [
    {
      bench: "feed",
      name: `a block in the indexer, ${of}`,
      unit: "ms",
      value: all / (after.count - before.count),
    },
    {
      bench: "feed",
      name: `time share of the feed's triggers, ${of}`,
      value: (100 * triggers) / all,
      unit: "%",
      target: { of: "value", atMost: MAX_SHARE },
    },
  ];
}
