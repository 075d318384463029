import type { Change, Edit } from "../change.ts";

const file = "indexing-store/cache.js";
const net = JSON.stringify(new URL("../refused/storeWithout.ts", import.meta.url).href);

/** Rows that were written are kept until all tables are: the whole batch may have to be written again. */
const keepWritten = (buffer: string): Edit => ({
  file,
  from: `                    ${buffer}.get(table).clear();`,
  to: `                    written.push([${buffer}, table, ${buffer}.get(table)]);
                    ${buffer}.set(table, new Map());`,
});

export const refusedRows: Change = {
  name: "refusedRows",
  problem:
    "Where PostgreSQL refuses the data of one row (`indexing-store/cache.js`), Ponder searches the row, throws, tries the whole block again nine times, and ends. The next start meets the same block.",
  cost: "One log whose data PostgreSQL cannot store ends the index for good.",
  remedy:
    "Where the data is refused (SQLSTATE classes 22 and 54), the batch is written again in small parts, and the refused row without the values that are refused. `events.anomaly` has the reason; the log names the table and the key. All other errors, of connections and of constraints, are as before.",
  upstream: "Not reported as of 2026-11.",
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
      to: `import { isRefusal, storeWithout } from ${net};\nexport const createIndexingCache = `,
    },
    {
      file,
      from: "            const flushTable = async (table) => {",
      to: `            const written = [];
            const storeRefused = async () => {
                for (const [buffer, table, entries] of written) buffer.set(table, entries);
                const parts = tables
                    .filter((table) => tableNames === undefined || tableNames.has(getTableName(table)))
                    .map((table) => {
                    const columns = Object.entries(getTableColumns(table));
                    const sqlName = (column) => getColumnCasing(column, "snake_case");
                    const keys = getPrimaryKeyColumns(table).map(({ js }) => js);
                    return {
                        name: getTableName(table),
                        columns: Object.fromEntries(columns.map(([name, column]) => [name, { sqlName: sqlName(column), notNull: column.notNull }])),
                        keys,
                        inserts: insertBuffer.get(table),
                        updates: updateBuffer.get(table),
                        insert: (rows) => qb.raw.insert(table).values(rows),
                        update: (rows) => qb.raw.insert(table).values(rows).onConflictDoUpdate({
                            target: keys.map((js) => table[js]),
                            set: Object.fromEntries(columns.map(([name, column]) => [name, sql.raw(\`excluded."\${sqlName(column)}"\`)])),
                        }),
                    };
                });
                await storeWithout(parts, {
                    execute: (statement) => qb.raw.execute(statement),
                    warn: (line) => common.logger.warn(line),
                });
                for (const table of tables) {
                    if (tableNames !== undefined && tableNames.has(getTableName(table)) === false) continue;
                    const tableCache = cache.get(table);
                    for (const buffer of [insertBuffer, updateBuffer]) {
                        for (const [key, entry] of buffer.get(table)) {
                            if (tableCache.isCacheComplete && tableCache.cache.has(key) === false)
                                tableCache.bytes += getBytes(entry.row) + getBytes(key);
                            tableCache.cache.set(key, entry.row);
                        }
                        buffer.set(table, new Map());
                    }
                }
            };
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
                if (isRefusal(error)) return storeRefused();`,
    },
  ],
};
