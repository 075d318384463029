import type { Change, Edit } from "../change.ts";
import { importOf } from "./importOf.ts";

const file = "indexing-store/cache.js";

/** Rows that were written are kept until all tables are: the whole batch may have to be written again. */
const keepWritten = (buffer: string): Edit => ({
  file,
  from: `                    ${buffer}.get(table).clear();`,
  to: `                    written.take(${buffer}, table);`,
});

export const refusedRows: Change = {
  name: "refusedRows",
  group: "correct",
  problem:
    "Where PostgreSQL refuses the data of one row (`indexing-store/cache.js`), Ponder searches the row, throws, and ends. The next start meets the same block.",
  cost: "One log whose data PostgreSQL cannot store ends the index for good.",
  remedy:
    "Where the data is refused (SQLSTATE classes 22 and 54), the batch is written again in small parts, and the refused row without the values that are refused. `events.anomaly` has the reason; the log names the table and the key. All other errors, of connections and of constraints, are as before.",
  upstream: "Not reported as of 2026-11.",
  exit: "A release that goes on after a row that PostgreSQL refuses, or lets the program decide what becomes of it.",
  edits: [
    {
      file,
      from: "throw new CopyFlushError(error.message);",
      to: "throw Object.assign(new CopyFlushError(error.message), { code: error.code });",
      times: 2,
    },
    {
      file,
      from: "export const createIndexingCache = ",
      to: `${importOf("isRefusal", "refused/storeWithout.ts")}${importOf("refusedBatches, WrittenRows", "refused/refusedBatch.ts")}const storeRefused = refusedBatches({ getTableName, getTableColumns, getColumnCasing, getPrimaryKeyColumns, raw: (text) => sql.raw(text) });
export const createIndexingCache = `,
    },
    {
      file,
      from: "            const flushTable = async (table) => {",
      to: `            const written = new WrittenRows();
            const flushTable = async (table) => {`,
    },
    keepWritten("insertBuffer"),
    keepWritten("updateBuffer"),
    {
      file,
      from: `                // the fast path because it doesn't support delayed insert errors.
                await qb.wrap((db) => db.execute("ROLLBACK to flush"), context);`,
      to: `                // the fast path because it doesn't support delayed insert errors.
                await qb.wrap((db) => db.execute("ROLLBACK to flush"), context);
                if (isRefusal(error)) {
                    const refused = tables.filter((table) => tableNames === undefined || tableNames.has(getTableName(table)));
                    return storeRefused({ written, tables: refused, cache, inserts: insertBuffer, updates: updateBuffer, db: qb.raw, logger: common.logger, getBytes });
                }`,
    },
  ],
};
