import type { Change } from "../change.ts";
import { importOf } from "./importOf.ts";

const cache = "indexing-store/cache.js";
const store = "indexing-store/index.js";
const mutex = "utils/mutex.js";

export const rowStore: Change = {
  name: "rowStore",
  group: "fast",
  problem:
    "Ponder's store of rows (`indexing-store/cache.js`, `indexing-store/index.js`, `utils/mutex.js`) brings each column of each row to PostgreSQL's form and back, makes a proxy with seven functions for each row, waits for a lock that is free, and writes a row that is new and changed in one batch twice.",
  cost: "The largest part of a backfill's time: to index 10,000 names took 49 to 57 s of processor time (38 s with the change).",
  remedy:
    "The same store with faster parts (`engine/rowStore`): code written for each table, one class for all proxies, no wait for a free lock, and one write for such a row. What it finds, refuses and stores is the same; a test compares both stores.",
  upstream:
    "Not reported as of 2026-11. [#1796](https://github.com/ponder-sh/ponder/issues/1796) is about the cost of copying rows, and [#2354](https://github.com/ponder-sh/ponder/pull/2354) about rows that are only written; both are open.",
  exit: "A release whose own store indexes the case `rowStore` of the bench as fast.",
  edits: [
    {
      file: cache,
      from: "getCacheKey, getPrimaryKeyCache, getWhereCondition, normalizeRow, }",
      to: "getPrimaryKeyCache, getWhereCondition }",
    },
    { file: cache, from: "const getBytes = (value) => {", to: "const ponderBytes = (value) => {" },
    {
      file: cache,
      from: "export const getCopyText = (table, rows) => {",
      to: "const ponderCopyText = (table, rows) => {",
    },
    {
      file: cache,
      from: "export const getCopyHelper",
      to: `import * as ponderRows from "./utils.js";
${importOf("rowFunctions", "rowStore/rows.ts")}${importOf("findComplete, noteUpdate", "rowStore/completeTable.ts")}export const { normalizeRow, getCacheKey, getCopyText, getBytes } =
  rowFunctions({ ...ponderRows, getTableColumns, getCopyText: ponderCopyText });
export const getCopyHelper`,
    },
    {
      file: cache,
      from: "        async get({ table, key }) {",
      to: `        get({ table, key }) {
            const tableCache = cache.get(table);
            const isSampled = event && eventCount[event.eventCallback.name] % SAMPLING_RATE === 1;
            if (isSampled || tableCache.isCacheComplete === false) return this.ask({ table, key });
            common.metrics.incrementIndexingCacheRequests(getTableName(table), "complete");
            return findComplete(tableCache, getCacheKey(table, key, primaryKeyCache), updateBuffer.get(table), insertBuffer.get(table));
        },
        async ask({ table, key }) {`,
    },
    {
      file: cache,
      from: "                updateBuffer.get(table).set(ck, { row, metadata: { event } });",
      to: "                noteUpdate(ck, { row, metadata: { event } }, updateBuffer.get(table), insertBuffer.get(table));",
    },
    {
      file: store,
      from: "import { copy, copyOnWrite } from '../utils/copy.js';",
      to: `import { copy } from '../utils/copy.js';
${importOf("copyOnWrite, copyIfShared", "rowStore/copyOnWrite.ts")}const given = copyIfShared(copy);`,
    },
    {
      file: store,
      from: "copy(userValues, isCopyFast.get(table))",
      to: "given(userValues, isCopyFast.get(table))",
      times: 3,
    },
    {
      file: store,
      from: "copy(value, isCopyFast.get(table))",
      to: "given(value, isCopyFast.get(table))",
      times: 3,
    },
    { file: store, from: "await lock.lock();", to: "if (lock.take() === false) await lock.lock();" },
    {
      file: mutex,
      from: "        lock: async () => {",
      to: `        take: () => {
            if (locked) return false;
            return locked = true;
        },
        lock: async () => {`,
    },
  ],
};
