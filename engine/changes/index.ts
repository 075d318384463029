import type { Change } from "../change.ts";
import { apiReload } from "./apiReload.ts";
import { backfillMemory } from "./backfillMemory.ts";
import { blockJournal } from "./blockJournal.ts";
import { blocksWithLogs } from "./blocksWithLogs.ts";
import { byteOrderMarks } from "./byteOrderMarks.ts";
import { copyPieces } from "./copyPieces.ts";
import { failedCommit } from "./failedCommit.ts";
import { failedConnect } from "./failedConnect.ts";
import { failedLogs } from "./failedLogs.ts";
import { failingBlock } from "./failingBlock.ts";
import { foundContracts } from "./foundContracts.ts";
import { indexedBlocks } from "./indexedBlocks.ts";
import { keptRows } from "./keptRows.ts";
import { knownContracts } from "./knownContracts.ts";
import { largeBlocks } from "./largeBlocks.ts";
import { lastBatch } from "./lastBatch.ts";
import { lateHeads } from "./lateHeads.ts";
import { linearQueue } from "./linearQueue.ts";
import { listedContracts } from "./listedContracts.ts";
import { logStream } from "./logStream.ts";
import { metricsApart } from "./metricsApart.ts";
import { overlap } from "./overlap.ts";
import { predictedRows } from "./predictedRows.ts";
import { quickCache } from "./quickCache.ts";
import { refusedRows } from "./refusedRows.ts";
import { rowStore } from "./rowStore.ts";
import { synchronousCommit } from "./synchronousCommit.ts";
import { viewsSchema } from "./viewsSchema.ts";
import { writtenFiles } from "./writtenFiles.ts";

/** All that Namedex changes in Ponder, in the order in which it is applied. */
export const changes: readonly Change[] = [
  linearQueue,
  blocksWithLogs,
  quickCache,
  synchronousCommit,
  failedConnect,
  copyPieces,
  rowStore,
  keptRows,
  knownContracts,
  logStream,
  refusedRows,
  failedLogs,
  failedCommit,
  failingBlock,
  largeBlocks,
  predictedRows,
  indexedBlocks,
  backfillMemory,
  apiReload,
  writtenFiles,
  metricsApart,
  foundContracts,
  byteOrderMarks,
  listedContracts,
  lastBatch,
  lateHeads,
  blockJournal,
  overlap,
  viewsSchema,
];

/**
 * The changes that every Ponder process gets. `viewsSchema` is not among them: it takes a task away from Ponder, so only
 * a program that does this task itself (ops/launch.ts) may load it.
 */
export const usualChanges: readonly Change[] = changes.filter((change) => change !== viewsSchema);
