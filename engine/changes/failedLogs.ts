import type { Change, Edit } from "../change.ts";

const cache = "indexing-store/cache.js";
const indexing = "indexing/index.js";
const moduleOf = JSON.stringify(new URL("../failures/failedLog.ts", import.meta.url).href);

/** Rows wait in two buffers until the batch is done. What an event's handler replaced there is kept until the next event. */
const journal: Edit[] = [
  {
    file: cache,
    from: "    const updateBuffer = new Map();\n",
    to: `    const updateBuffer = new Map();
    let replaced = [];
    let isUndoable = true;
    const remember = (table, ck) => {
        const inserted = insertBuffer.get(table).get(ck);
        replaced.push([table, ck, inserted, inserted?.row, updateBuffer.get(table).get(ck)]);
    };
    const putBack = (buffer, ck, entry) => entry === undefined ? buffer.delete(ck) : buffer.set(ck, entry);
`,
  },
  {
    file: cache,
    from: `            const row = isUpdate ? _row : normalizeRow(table, _row, false);
            const ck = getCacheKey(table, key, primaryKeyCache);`,
    to: `            const row = isUpdate ? _row : normalizeRow(table, _row, false);
            const ck = getCacheKey(table, key, primaryKeyCache);
            remember(table, ck);`,
  },
  {
    file: cache,
    from: "        async delete({ table, key }) {",
    to: "        async delete({ table, key }) {\n            isUndoable = false;",
  },
  {
    file: cache,
    from: "        async flush({ tableNames } = {}) {",
    to: `        begin() {
            if (replaced.length > 0) replaced = [];
            isUndoable = true;
        },
        undo() {
            if (isUndoable === false) return false;
            for (const [table, ck, inserted, row, updated] of replaced.reverse()) {
                if (inserted !== undefined) inserted.row = row;
                putBack(insertBuffer.get(table), ck, inserted);
                putBack(updateBuffer.get(table), ck, updated);
            }
            replaced = [];
            return true;
        },
        async flush({ tableNames } = {}) {
            if (tableNames !== undefined) isUndoable = false;`,
  },
];

export const failedLogs: Change = {
  name: "failedLogs",
  problem:
    "Where a handler throws (`indexing/index.js`), Ponder tries the whole block again nine times, and ends. The next start meets the same log.",
  cost: "One log that a handler cannot take ends the index for good.",
  remedy:
    "Where the error is of the log (of JavaScript or of decoding, not of the node or the database), and comes again at once, all that the handler wrote is taken back, `events` has the log with `anomaly`, and the index goes on. `namedex_failed_logs_total` counts them. Any other error is as before.",
  upstream: "Not reported as of 2026-11.",
  edits: [
    ...journal,
    {
      file: indexing,
      from: "export const createIndexing = ",
      to: `import { passOver } from ${moduleOf};\nexport const createIndexing = `,
    },
    {
      file: indexing,
      from: "            await event.eventCallback.fn(indexingFunctionArg);",
      to: "            indexingCache.begin();\n            await event.eventCallback.fn(indexingFunctionArg);",
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
            const isPassedOver = event.type === "log" && await passOver({
                args: indexingFunctionArg,
                eventName: event.eventCallback.name,
                error,
                undo: () => indexingCache.undo(),
                again: () => event.eventCallback.fn(indexingFunctionArg),
            });
            if (isPassedOver && indexingErrorHandler.getRetryableError() === undefined) {
                common.logger.error({
                    msg: "Passed over a log whose handler failed",
                    event: event.eventCallback.name,
                    chain: event.chain.name,
                    chain_id: event.chain.id,
                    block_number: decodeCheckpoint(event.checkpoint).blockNumber,
                    error,
                });
                return;
            }
            addStackTrace(error, common.options);`,
    },
  ],
};
