import type { Change } from "../change.ts";
import { importOf } from "./importOf.ts";

const cache = "indexing-store/cache.js";
const multichain = "runtime/multichain.js";

export const overlap: Change = {
  name: "overlap",
  group: "fast",
  problem:
    "The backfill (`runtime/multichain.js`) writes the rows of a batch, and waits for PostgreSQL, before the handlers of the next batch begin.",
  cost: "A quarter of the time of a backfill from a full cache nothing works but PostgreSQL: 30,000 names take 41.8 s, and 36.0 s with the change (the middle of three in turn, on two cores).",
  remedy:
    "The handlers of a batch work while the batch before is written (`engine/overlap`), each in a transaction of its own with its checkpoint. A batch begins to write after the one before is committed. Rows that are being written are found in memory. If they are not stored as they were handled, both batches are handled again.",
  upstream: "Not reported as of 2026-11.",
  exit: "A release whose handlers go on while the batch before is written.",
  edits: [
    {
      file: cache,
      from: "export const createIndexingCache = ",
      to: `${importOf("Overlap", "overlap/overlap.ts")}import { NonRetryableUserError, RetryableError } from "../internal/errors.js";
export const createIndexingCache = `,
    },
    {
      file: cache,
      from: "    /** Profiling data about access patterns for each event. */",
      to: `    const overlap = new Overlap({ cache, insertBuffer, updateBuffer }, { NonRetryableUserError, RetryableError, ShutdownError });
    const ownRows = () => ({ qb, insertBuffer, updateBuffer });
    /** Profiling data about access patterns for each event. */`,
    },
    {
      file: cache,
      from: "            prefetched: new Set(),\n",
      to: "            prefetched: new Set(),\n            writing: undefined,\n",
    },
    {
      file: cache,
      from: "            const entry = cache.get(table).cache.get(ck);",
      to: `            const writing = cache.get(table).writing?.get(ck);
            const entry = writing === undefined ? cache.get(table).cache.get(ck) : writing.row;`,
    },
    // What changes or reads the database itself comes after the batch before.
    {
      file: cache,
      from: "            const inInsertBuffer = insertBuffer.get(table).delete(ck);",
      to: "            await overlap.deletes(table, ck);\n            const inInsertBuffer = insertBuffer.get(table).delete(ck);",
    },
    {
      file: cache,
      from: "        async flush({ tableNames } = {}) {",
      to: `        overlap,
        async flush({ tableNames, rows } = {}) {
            if (rows === undefined) await overlap.settle();
            const { qb, insertBuffer, updateBuffer } = rows ?? ownRows();`,
    },
    // The table may have been forgotten while its rows were written.
    {
      file: cache,
      from: "                    tableCache.bytes += bytes;",
      to: "                    if (tableCache.isCacheComplete) tableCache.bytes += bytes;",
      times: 2,
    },
    {
      file: cache,
      from: "            for (const table of tables) {\n                cache.get(table).spillover.clear();",
      to: `            overlap.leaveOutWriting(prediction);
            for (const table of tables) {
                cache.get(table).spillover.clear();`,
    },
    // The text of COPY is made, and sent, between handlers.
    {
      file: "indexing/index.js",
      from: "const EVENT_LOOP_UPDATE_INTERVAL = 25;",
      to: "const EVENT_LOOP_UPDATE_INTERVAL = 3;",
    },
    {
      file: multichain,
      from: "        clearInterval(etaInterval);\n    });",
      to: "        clearInterval(etaInterval);\n        indexingCache.overlap.stop();\n    });",
    },
    {
      file: multichain,
      from: "        indexingCache.qb = database.userQB;\n        await Promise.all([\n            indexingCache.prefetch({ events }),",
      to: `        const turn = await indexingCache.overlap.next(database.userQB);
        indexingCache.qb = database.userQB;
        await Promise.all([
            indexingCache.prefetch({ events }),`,
    },
    {
      file: multichain,
      from: "        let endClock = startClock();\n        await database.userQB.transaction(",
      to: "        let endClock = startClock();\n        const transaction = turn.run(() => database.userQB.transaction(",
    },
    {
      file: multichain,
      from: "            const initialCompletedEvents = ",
      to: "            await turn.begin();\n            const initialCompletedEvents = ",
    },
    {
      file: multichain,
      from: '                await indexingCache.flush();\n                common.metrics.ponder_historical_transform_duration.inc({ step: "load" }',
      to: `                await indexingCache.flush({ rows: await turn.handOver(tx) });
                common.metrics.ponder_historical_transform_duration.inc({ step: "load" }`,
    },
    {
      file: multichain,
      from: "            catch (error) {\n                common.metrics.flushIndexingMetrics();",
      to: "            catch (error) {\n                await turn.failed();\n                common.metrics.flushIndexingMetrics();",
    },
    {
      file: multichain,
      from: "                indexingCache.invalidate();\n                indexingCache.clear();\n                if (error instanceof InvalidEventAccessError) {",
      to: `                if (turn.isStale) {
                    indexingCache.overlap.forgetWaiting();
                    turn.leave();
                    throw turn.staleError();
                }
                indexingCache.invalidate();
                indexingCache.clear();
                if (error instanceof InvalidEventAccessError) {`,
    },
    {
      file: multichain,
      from: "                throw error;\n            }\n        }",
      to: "                turn.leave();\n                throw error;\n            }\n        }",
    },
    {
      file: multichain,
      from: ", undefined, context);\n        cachedViemClient.clear();\n",
      to: ', { isolationLevel: "read committed" }, context));\n        turn.watch(transaction, () => {\n',
    },
    {
      file: multichain,
      from: '        await new Promise(setImmediate);\n        common.logger.info({\n            msg: "Indexed block range",',
      to: '        common.logger.info({\n            msg: "Indexed block range",',
    },
    {
      file: multichain,
      from: "            duration: indexStartClock(),\n        });\n    }\n    indexingCache.clear();",
      to: `            duration: indexStartClock(),
        });
        });
        await turn.isHandled();
        cachedViemClient.clear();
        await new Promise(setImmediate);
    }
    await indexingCache.overlap.end();
    indexingCache.clear();`,
    },
  ],
};
