import { sql } from "ponder";
import { missingIndexesIn } from "../../upkeep/indexes.ts";
import type { IndexReport } from "../indexState/freshness.ts";
import {
  countAnomalies,
  listMissingTransactions,
  listProgress,
  listWaitingWork,
  readFailures,
  readIndexerState,
} from "../indexState/progress.ts";
import type { Db } from "../postgres/db.ts";
import type { Verification } from "../serviceDb/verifications.ts";
import type { Meters } from "./meters.ts";

type IndexView = {
  db: Db;
  contracts: { chainName: (chainId: number) => string };
  now: number;
  /** Whether operations on names answer, and how far the index is. */
  freshness: { report: () => Promise<IndexReport> };
  /** Numbers of labels without a text, and with a text from outside the chains' logs; null while unknown. */
  readHealing: () => Promise<{ pending: number; healed: number; waiting: number } | null>;
  /** The last comparison of an index with the chain. */
  lastVerification: (schema: string) => Promise<Verification | null>;
  /** Sets the metrics of features. */
  noteFeatures: () => Promise<unknown>;
};

/**
 * Metrics of the index and of this process in Prometheus' text format. Ponder's own metrics are at `/metrics`. Without a
 * database those of the tables stay as they were last read.
 */
export async function indexMetrics(view: IndexView, meters: Meters): Promise<string> {
  const { unfit, isDatabaseAway, standby, chains } = await view.freshness.report();
  meters.ready.reset(); // The reason is a label: the last one is gone.
  meters.ready.set({ reason: unfit ?? "none" }, unfit === null ? 1 : 0);
  if (!isDatabaseAway) await noteTables(view, meters);
  noteStandby(standby, meters);
  for (const { chainId, comparison } of chains) {
    const chain = view.contracts.chainName(chainId);
    meters.sourceBlocks.set({ chain }, comparison?.blocks ?? 0);
    meters.comparedBlocks.set({ chain }, comparison?.compared ?? 0);
    meters.falseSource.set({ chain }, comparison === null || comparison.differingBlock === null ? 0 : 1);
  }
  const { block, attempts, logs } = readFailures();
  meters.failingAttempts.set(block?.attempts ?? 0);
  meters.failedAttempts.set(attempts);
  meters.failedLogs.set(logs);
  return meters.registry.metrics();
}

/** While the primary does not answer, the last values stay. A process that reads the primary has none. */
function noteStandby(standby: IndexReport["standby"], meters: Meters): void {
  if (!standby || standby.lagBytes === null) return;
  meters.standbyBytes.set(standby.lagBytes);
  if (standby.lagSeconds !== null) meters.standbySeconds.set(standby.lagSeconds);
}

async function noteTables(
  { db, contracts, now, lastVerification, readHealing, noteFeatures }: IndexView,
  meters: Meters,
): Promise<void> {
  const [indexer, chains, waiting, late, missing, anomalies, healing] = await Promise.all([
    readIndexerState(db),
    listProgress(db),
    listWaitingWork(db),
    listMissingTransactions(db),
    countMissingIndexes(db),
    countAnomalies(db),
    readHealing(),
    noteFeatures(),
  ]);
  for (const { chainId, blockNumber, blockTimestamp } of chains) {
    const chain = contracts.chainName(chainId);
    meters.block.set({ chain }, blockNumber);
    meters.lag.set({ chain }, Math.max(0, now - blockTimestamp));
    const { lists = 0, since = null } = waiting.find((one) => one.chainId === chainId) ?? {};
    meters.waitingLists.set({ chain }, lists);
    meters.waitingSeconds.set({ chain }, since === null ? 0 : blockTimestamp - since);
  }
  for (const { chainId, missing: count } of late)
    meters.missingTransactions.set({ chain: contracts.chainName(chainId) }, count);
  meters.missingIndexes.set(missing);
  if (healing !== null) {
    meters.unknownLabels.set(healing.pending);
    meters.healedLabels.set(healing.healed);
    meters.waitingLabels.set(healing.waiting);
  }
  await noteDatabase(db, meters);
  noteVerification(meters, await lastVerification(indexer.schema));
  meters.anomalies.reset(); // A reorganisation may have removed the last anomaly of a reason.
  for (const { reason, count } of anomalies) meters.anomalies.set({ reason }, count);
}

function noteVerification(meters: Meters, verification: Verification | null): void {
  meters.verifiedAt.set(verification?.finishedAt ?? 0);
  meters.verifiedBlock.set(verification?.blockNumber ?? 0);
  meters.verifiedSamples.set(verification?.samples ?? 0);
  meters.verifiedValues.set(verification?.values ?? 0);
  meters.verifiedDifferences.set(verification?.differences ?? 0);
}

/** Any role may see how many connections there are, and of its own database the size. */
async function noteDatabase(db: Db, meters: Meters): Promise<void> {
  const { rows } = await db.execute(
    sql.raw(`select pg_database_size(current_database())::float8 as bytes,
      (select count(*)::int from pg_stat_activity where backend_type = 'client backend') as connections,
      current_setting('max_connections')::int as most`),
  );
  const [row] = rows as { bytes: number; connections: number; most: number }[];
  meters.databaseBytes.set(row?.bytes ?? 0);
  meters.databaseConnections.set(row?.connections ?? 0);
  meters.databaseMaxConnections.set(row?.most ?? 0);
}

async function countMissingIndexes(db: Db): Promise<number> {
  const { rows } = await db.execute(sql.raw(missingIndexesIn("current_schema()")));
  return rows.length;
}
