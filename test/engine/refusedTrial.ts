import { drizzle } from "drizzle-orm/node-postgres";
import { index, onchainTable, primaryKey } from "ponder";
import { ponderModule } from "./ponders.ts";
import { openTables } from "./trialTables.ts";

// `node refusedTrial.ts <database> <rows>`: lets Ponder's store write a batch in which PostgreSQL refuses some rows, and
// prints what is stored, what the log said, and how it ended.

const event = onchainTable(
  "events",
  (t) => ({
    id: t.integer().notNull(),
    node: t.hex().notNull(),
    key: t.text(),
    value: t.text(),
    seconds: t.int8({ mode: "number" }),
    anomaly: t.text(),
  }),
  (t) => ({ pk: primaryKey({ columns: [t.id, t.node] }) }),
);
const record = onchainTable(
  "records",
  (t) => ({ id: t.integer().primaryKey(), count: t.int8({ mode: "number" }).notNull(), name: t.text() }),
  (t) => ({ names: index("records_name").on(t.name) }),
);
const schema = { event, record };

const [, count] = process.argv.slice(2);
const rows = Number(count);

const { createQB } = await ponderModule("database/queryBuilder.js");
const { createIndexingCache } = await ponderModule("indexing-store/cache.js");
const { createIndexingStore } = await ponderModule("indexing-store/index.js");

const pool = await openTables(schema);

const warnings: unknown[] = [];
const quiet = () => {};
const warn = ({ msg, table, key, columns, refusal }: Record<string, unknown>) =>
  void warnings.push([msg, table, key, columns, refusal]);
const logger = { trace: quiet, info: quiet, debug: quiet, error: quiet, warn, child: () => logger };
const metrics = {
  ...{ incrementIndexingStoreQueries: quiet, incrementIndexingCacheRequests: quiet },
  ...{ ponder_indexing_cache_query_duration: { observe: quiet } },
};
const common = { logger, metrics, shutdown: { isKilled: false }, options: { indexingCacheMaxBytes: 1e9 } };
const qb = createQB(drizzle(pool, { schema, casing: "snake_case" }), { common, isAdmin: false });
const schemaBuild = { schema };
const indexingCache = createIndexingCache({ common, schemaBuild, eventCount: {} });
const indexingErrorHandler = { setRetryableError: quiet };
const store = createIndexingStore({ common, schemaBuild, indexingCache, indexingErrorHandler });

/** Too long for an index of PostgreSQL, and too varied to be compressed below its limit. */
const long = Array.from({ length: 4_000 }, (_, i) => Math.imul(i, 2_654_435_761) >>> 0).join("");
/** More than a column of 64 bits holds. */
const huge = 2 ** 64;

const write = (work: () => Promise<unknown>): Promise<string> =>
  qb
    .transaction(async (tx: object) => {
      Object.assign(store, { qb: tx, isProcessingEvents: true });
      indexingCache.qb = tx;
      await work();
      store.isProcessingEvents = false;
      await indexingCache.flush();
    })
    .then(
      () => "stored",
      (error: Error) => {
        indexingCache.clear();
        return String(error);
      },
    );

const { db } = store;
const first = await write(async () => {
  for (let id = 0; id < rows; id++) {
    await db
      .insert(event)
      .values({ id, node: "0xab", key: `key ${id}`, value: "v", seconds: id === 3 ? huge : id });
    await db.insert(record).values({ id, count: id === 5 ? huge : id, name: id === 4 ? long : `name ${id}` });
  }
});
const second = await write(async () => {
  for (let id = 0; id < rows; id++) {
    await db
      .update(event, { id, node: "0xab" })
      .set({ value: "changed", ...(id === 1 && { seconds: huge }) });
    if (id !== 5) await db.update(record, { id }).set({ count: id + 1, ...(id === 2 && { name: long }) });
  }
});
const third = await write(async () => {
  await db.insert(record).values({ id: 7, count: 1, name: "taken" });
});
const tables = await Promise.all(
  ["events", "records"].map(
    async (table) => (await pool.query(`SELECT * FROM trial.${table} ORDER BY id`)).rows,
  ),
);
await pool.end();
console.log(JSON.stringify({ outcomes: [first, second, third], warnings, tables }));
process.exit();
