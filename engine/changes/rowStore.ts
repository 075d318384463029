import type { Change } from "../change.ts";

/** A module of ours, as Ponder's text imports it. */
const moduleOf = (name: string) => JSON.stringify(new URL(`../rowStore/${name}`, import.meta.url).href);

const cache = "indexing-store/cache.js";
const store = "indexing-store/index.js";
const mutex = "utils/mutex.js";

export const rowStore: Change = {
  name: "rowStore",
  problem:
    "Ponder's store of rows (`indexing-store/cache.js`, `indexing-store/index.js`, `utils/mutex.js`) brings each column of each row to PostgreSQL's form and back, makes a proxy with seven functions for each row, waits for a lock that is free, writes a row that is new and changed in one batch twice, and makes one string of all rows of a batch.",
  cost: "The largest part of a backfill's time: to index 10,000 names took 49 to 57 s of processor time (38 s with the change). Rows of more than 512 MB in one batch end the indexer (`Invalid string length`).",
  remedy:
    "The same store with faster parts (`engine/rowStore`): code written for each table, one class for all proxies, no wait for a free lock, one write for such a row, text in pieces of a megabyte. What it finds, refuses and stores is the same; a test compares both stores.",
  upstream:
    "Not reported as of 2026-11. [#1796](https://github.com/ponder-sh/ponder/issues/1796) is about the cost of copying rows, and [#2354](https://github.com/ponder-sh/ponder/pull/2354) about rows that are only written; both are open.",
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
import { rowFunctions } from ${moduleOf("rows.ts")};
import { pipeline } from "node:stream/promises";
export const { normalizeRow, getCacheKey, getCopyText, getBytes } =
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
            tableCache.asked++;
            const ck = getCacheKey(table, key, primaryKeyCache);
            const buffered = updateBuffer.get(table).get(ck) ?? insertBuffer.get(table).get(ck);
            common.metrics.incrementIndexingCacheRequests(getTableName(table), "complete");
            if (buffered) return buffered.row;
            const entry = tableCache.cache.get(ck);
            if (entry !== undefined) return entry;
            tableCache.diskReads++;
            return null;
        },
        async ask({ table, key }) {`,
    },
    // The text of all rows is no longer one string, but pieces that are made when the connection takes them.
    {
      file: cache,
      from: `                copyStream.on("finish", resolve);
                copyStream.on("error", reject);
                copyStream.write(text);
                copyStream.end();`,
      to: "                pipeline(text, copyStream).then(resolve, reject);",
    },
    { file: cache, from: "new Blob([text])", to: "new Blob([...text])" },
    // A row that is inserted and changed in one batch is written once, with its last values.
    {
      file: cache,
      from: "                updateBuffer.get(table).set(ck, { row, metadata: { event } });",
      to: `                const waiting = insertBuffer.get(table).get(ck);
                if (waiting === undefined || updateBuffer.get(table).has(ck))
                    updateBuffer.get(table).set(ck, { row, metadata: { event } });
                else waiting.row = row;`,
    },
    {
      file: store,
      from: "import { copy, copyOnWrite } from '../utils/copy.js';",
      to: `import { copy, COPY_ON_WRITE } from '../utils/copy.js';
import { copyOnWrite } from ${moduleOf("copyOnWrite.ts")};
const given = (values, isFast) => isFast && values[COPY_ON_WRITE] === undefined ? values : copy(values, isFast);`,
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
