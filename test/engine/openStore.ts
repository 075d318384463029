import { drizzle } from "drizzle-orm/node-postgres";
import { onchainTable } from "ponder";
import { quietLogger } from "../../engine/ponderModule.ts";
import { ponderModule } from "./ponders.ts";
import { openTables } from "./trialTables.ts";

/** A row of a name that handlers find and change. */
export const name = onchainTable("names", (t) => ({
  node: t.hex().primaryKey(),
  label: t.text(),
  owner: t.hex().notNull(),
  expiry: t.bigint(),
  changes: t.integer().notNull(),
  at: t.int8({ mode: "number" }).notNull(),
}));
/** A row of an event of a name that handlers append. */
export const change = onchainTable("changes", (t) => ({
  id: t.integer().primaryKey(),
  node: t.hex().notNull(),
  owner: t.hex().notNull(),
  at: t.int8({ mode: "number" }).notNull(),
}));

type Store = {
  schema?: Record<string, unknown>;
  eventCount: Record<string, number>;
  isRestarted?: boolean;
  /** The parts that are not Ponder's own: a logger, metrics, options. */
  common?: Record<string, unknown>;
};

/** Ponder's store of rows on the database of the command line. After a restart it does not have all rows in memory. */
export async function openStore({
  schema = { name, change },
  eventCount,
  isRestarted = false,
  common: own = {},
}: Store) {
  const [{ createQB }, { createIndexingCache }, { createIndexingStore }, { MetricsService }] =
    await Promise.all(
      [
        "database/queryBuilder.js",
        "indexing-store/cache.js",
        "indexing-store/index.js",
        "internal/metrics.js",
      ].map(ponderModule),
    );
  const pool = await openTables(schema);
  const common = {
    logger: quietLogger,
    metrics: new MetricsService(),
    shutdown: { isKilled: false },
    options: { indexingCacheMaxBytes: Number.POSITIVE_INFINITY },
    ...own,
  };
  const qb = createQB(drizzle(pool, { schema, casing: "snake_case" }), {
    common,
    isAdmin: false,
  });
  const indexingCache = createIndexingCache({
    common,
    schemaBuild: { schema },
    eventCount,
    crashRecoveryCheckpoint: isRestarted ? [] : undefined,
  });
  const indexingStore = createIndexingStore({
    common,
    schemaBuild: { schema },
    indexingCache,
    indexingErrorHandler: { setRetryableError: () => {} },
  });
  /** Does some work in a transaction and writes its rows, as Ponder does with a batch of events. */
  const batch = (work: () => Promise<unknown>): Promise<void> =>
    qb.transaction(async (tx: object) => {
      Object.assign(indexingStore, { qb: tx, isProcessingEvents: true });
      indexingCache.qb = tx;
      await work();
      indexingStore.isProcessingEvents = false;
      await indexingCache.flush();
    });
  return { qb, pool, indexingCache, indexingStore, batch };
}
