import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";

// Loaded into Ponder's process before Ponder (`node --import`).
//
// Most of a backfill's time goes into Ponder's store of rows, which does for each operation what could be done once for
// each table, waits for what is there already, and writes a row that is new and changed twice. Here the same store uses
// quicker parts (quickRows.ts, quickCopies.ts), and writes such a row once. What it finds, refuses and stores in the end
// is the same; where Ponder's text is not the one that was read, all stays as it is.

const partOf = (name: string) => JSON.stringify(new URL(name, import.meta.url).href);

type Edit = [from: string, to: string];

/** A file of Ponder 0.17.7, and what is put in place of what. */
type Change = { file: string; sha256: string; edits: Edit[] };

const changes: Change[] = [
  {
    file: "./indexing-store/cache.js",
    sha256: "e18db7b062c89f7d81f18a6b7838b660b6a46815e90ee0937724742192dbb1ec",
    edits: [
      [
        "getCacheKey, getPrimaryKeyCache, getWhereCondition, normalizeRow, }",
        "getPrimaryKeyCache, getWhereCondition }",
      ],
      ["const getBytes = (value) => {", "const ponderBytes = (value) => {"],
      ["export const getCopyText = (table, rows) => {", "const ponderCopyText = (table, rows) => {"],
      [
        "export const getCopyHelper",
        `import * as ponderRows from "./utils.js";
import { quickRows } from ${partOf("quickRows.ts")};
export const { normalizeRow, getCacheKey, getCopyText, getBytes } =
  quickRows({ ...ponderRows, getTableColumns, getCopyText: ponderCopyText });
export const getCopyHelper`,
      ],
      [
        "        async get({ table, key }) {",
        `        get({ table, key }) {
            const tableCache = cache.get(table);
            const isSampled = event && eventCount[event.eventCallback.name] % SAMPLING_RATE === 1;
            if (isSampled || tableCache.isCacheComplete === false) return this.ask({ table, key });
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
      ],
      // A row that is not written yet, and is changed, is written once, as it is then.
      [
        "                updateBuffer.get(table).set(ck, { row, metadata: { event } });",
        `                const waiting = insertBuffer.get(table).get(ck);
                if (waiting === undefined || updateBuffer.get(table).has(ck))
                    updateBuffer.get(table).set(ck, { row, metadata: { event } });
                else waiting.row = row;`,
      ],
    ],
  },
  {
    file: "./indexing-store/index.js",
    sha256: "c8f9b93c717c9e0d3bc4c2639fcbfed90ed0948962dd226a7fa7084537f4f634",
    edits: [
      [
        "import { copy, copyOnWrite } from '../utils/copy.js';",
        `import { copy, COPY_ON_WRITE } from '../utils/copy.js';
import { copyOnWrite } from ${partOf("quickCopies.ts")};
const given = (values, isFast) => isFast && values[COPY_ON_WRITE] === undefined ? values : copy(values, isFast);`,
      ],
      ["copy(userValues, isCopyFast.get(table))", "given(userValues, isCopyFast.get(table))"],
      ["copy(value, isCopyFast.get(table))", "given(value, isCopyFast.get(table))"],
      ["await lock.lock();", "if (lock.take() === false) await lock.lock();"],
    ],
  },
  {
    file: "./utils/mutex.js",
    sha256: "5298009fadaaf469a1a9df016e6e61ab30d039e3b8821d8ea0478f7749c9739c",
    edits: [
      [
        "        lock: async () => {",
        `        take: () => {
            if (locked) return false;
            return locked = true;
        },
        lock: async () => {`,
      ],
    ],
  },
];

const files = changes.map((change) => {
  const url = new URL(change.file, import.meta.resolve("ponder"));
  return { ...change, url: url.href, text: readFileSync(url, "utf8") };
});
const isAsKnown = files.every(
  ({ text, sha256 }) => createHash("sha256").update(text).digest("hex") === sha256,
);

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    const change = files.find((file) => file.url === url);
    if (!isAsKnown || change === undefined) return loaded;
    const source = change.edits.reduce((text, [from, to]) => text.replaceAll(from, to), change.text);
    return { ...loaded, source };
  },
});
