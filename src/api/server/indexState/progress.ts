import { event, transactionProgress, workList } from "ponder:schema";
import { count, isNotNull, min, sql } from "ponder";
import { failures } from "../../../../engine/failures/failures.ts";
import {
  type ChainProgress,
  type IndexerState,
  listProgress as listPonderProgress,
  type Query,
  readIndexer,
} from "../../../../engine/ponderInternals.ts";
import type { Db } from "../postgres/db.ts";

export type { ChainProgress, IndexerState };

/** What went wrong in the indexer of this process. */
export const readFailures = failures;

const unknownIndexer: IndexerState = {
  isReady: false,
  isRunning: false,
  schema: "",
  buildId: "",
  tablesId: "",
  startId: "",
};

const queryOf =
  (db: Db): Query =>
  async <Row extends Record<string, unknown>>(text: string) =>
    (await db.execute(sql.raw(text))).rows as Row[];

/** The state of the indexer that writes the tables; it may be another process than ours. */
export const readIndexerState = async (db: Db): Promise<IndexerState> =>
  (await readIndexer(queryOf(db))) ?? unknownIndexer;

/** The block of each chain that the tables represent. */
export const listProgress = (db: Db): Promise<ChainProgress[]> => listPonderProgress(queryOf(db));

/** Numbers of logs that could not be decoded, by reason. The event log has them too. */
export function countAnomalies(db: Db): Promise<{ reason: string; count: number }[]> {
  return db
    .select({ reason: sql<string>`${event.anomaly}`, count: count() })
    .from(event)
    .where(isNotNull(event.anomaly))
    .groupBy(event.anomaly)
    .orderBy(event.anomaly);
}

/** What waits to be written in later blocks of a chain: how many lists of names, and since when the first of them. */
export type WaitingWork = { chainId: number; lists: number; since: number | null };

/** Chains where nothing waits are left out. */
export function listWaitingWork(db: Db): Promise<WaitingWork[]> {
  return db
    .select({ chainId: workList.chainId, lists: count(), since: min(workList.sinceTimestamp) })
    .from(workList)
    .where(isNotNull(workList.nextItem))
    .groupBy(workList.chainId);
}

/** How many texts and reverse nodes of each chain wait for their transactions. Chains where none ever did are left out. */
export const listMissingTransactions = (db: Db): Promise<{ chainId: number; missing: number }[]> =>
  db
    .select({ chainId: transactionProgress.chainId, missing: transactionProgress.missing })
    .from(transactionProgress);
