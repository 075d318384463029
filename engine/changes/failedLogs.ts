import type { Change, Edit } from "../change.ts";
import { importOf } from "./importOf.ts";

const cache = "indexing-store/cache.js";
const indexing = "indexing/index.js";

/** Rows wait in two buffers until the batch is done. What an event's handler replaced there is kept until the next event. */
const journal: Edit[] = [
  {
    file: cache,
    from: "export const createIndexingCache = ",
    to: `${importOf("Journal", "failures/journal.ts")}export const createIndexingCache = `,
  },
  {
    file: cache,
    from: "    const updateBuffer = new Map();\n",
    to: `    const updateBuffer = new Map();
    const journal = new Journal(insertBuffer, updateBuffer);
`,
  },
  {
    file: cache,
    from: `            const row = isUpdate ? _row : normalizeRow(table, _row, false);
            const ck = getCacheKey(table, key, primaryKeyCache);`,
    to: `            const row = isUpdate ? _row : normalizeRow(table, _row, false);
            const ck = getCacheKey(table, key, primaryKeyCache);
            journal.remember(table, ck);`,
  },
  {
    file: cache,
    from: "        async delete({ table, key }) {",
    to: "        async delete({ table, key }) {\n            journal.reachDatabase();",
  },
  {
    file: cache,
    from: "        async flush({ tableNames } = {}) {",
    to: `        journal,
        async flush({ tableNames } = {}) {
            if (tableNames !== undefined) journal.reachDatabase();`,
  },
];

export const failedLogs: Change = {
  name: "failedLogs",
  group: "correct",
  problem: "Where a handler throws (`indexing/index.js`), Ponder ends. The next start meets the same log.",
  cost: "One log that a handler cannot take ends the index for good.",
  remedy:
    "Where the error is of the log (of JavaScript or of decoding, not of the node or the database), and comes again at once, all that the handler wrote is taken back, `events` has the log with `anomaly`, and the index goes on. `namedex_failed_logs_total` counts them. Any other error is as before.",
  upstream: "Not reported as of 2026-11.",
  exit: "A release that lets the program decide what becomes of a log whose handler throws.",
  edits: [
    ...journal,
    {
      file: indexing,
      from: "export const createIndexing = ",
      to: `${importOf("passOver", "failures/failedLog.ts")}export const createIndexing = `,
    },
    {
      file: indexing,
      from: "            await event.eventCallback.fn(indexingFunctionArg);",
      to: "            indexingCache.journal.begin();\n            await event.eventCallback.fn(indexingFunctionArg);",
    },
    {
      file: indexing,
      from: `            if (error instanceof InvalidEventAccessError) {
                throw error;
            }
            addStackTrace(error, common.options);`,
      to: `            if (error instanceof InvalidEventAccessError) {
                throw error;
            }
            if (event.type === "log" && await passOver({
                event,
                args: indexingFunctionArg,
                error,
                undo: () => indexingCache.journal.undo(),
                again: () => event.eventCallback.fn(indexingFunctionArg),
                hasRetryableError: () => indexingErrorHandler.getRetryableError() !== undefined,
                log: (line) => common.logger.error({ ...line, block_number: decodeCheckpoint(event.checkpoint).blockNumber }),
            })) return;
            addStackTrace(error, common.options);`,
    },
  ],
};
