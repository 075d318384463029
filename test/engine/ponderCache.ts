import pg from "pg";
import { quietLogger } from "../../engine/ponderModule.ts";
import { ponderModule } from "./ponders.ts";

/** Ponder's own database, with the tables of its cache and a schema `trial`. Its log returns its messages. */
export async function openPonderDatabase(
  databaseUrl: string | undefined,
  {
    onLog = (_msg: string) => {},
    schema = {} as Record<string, unknown>,
    options = {} as Record<string, unknown>,
  } = {},
) {
  const [{ createDatabase }, { MetricsService }, { createShutdown }] = await Promise.all(
    ["database/index.js", "internal/metrics.js", "internal/shutdown.js"].map(ponderModule),
  );
  const shutdown = createShutdown();
  const say = ({ msg }: { msg: string }) => onLog(msg);
  const logger = { ...quietLogger, info: say, warn: say, error: say, child: () => logger };
  const ponder = {
    logger,
    metrics: new MetricsService(),
    shutdown,
    apiShutdown: createShutdown(),
    options: {
      command: "serve",
      databaseMaxQueryParameters: 100,
      databaseHeartbeatInterval: 10_000,
      factoryAddressCountThreshold: 1_000,
      syncEventsQuerySize: 12_000,
      indexingCacheMaxBytes: 1e9,
      ...options,
    },
  };
  const nothing = { sql: [], json: [] };
  const parts = {
    namespaceBuild: { schema: "trial", viewsSchema: undefined },
    preBuild: {
      databaseConfig: { kind: "postgres", poolConfig: { connectionString: databaseUrl, max: 4 } },
      ordering: "multichain",
    },
    schemaBuild: {
      schema,
      statements: { tables: nothing, indexes: nothing, enums: nothing, views: nothing },
    },
  };
  const database = createDatabase({ common: ponder, namespace: parts.namespaceBuild, ...parts });
  await database.migrateSync();
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 1 });
  pool.on("error", () => {}); // The database is dropped while its idle connection closes.
  await pool.query("create schema if not exists trial");
  return { database, ponder, parts, pool };
}

/** Ponder's own store of its cache, on a database; its tables are created. `close` ends its connections. */
export async function openPonderCache(databaseUrl: string | undefined) {
  const { createSyncStore } = await ponderModule("sync-store/index.js");
  const { database, ponder, pool } = await openPonderDatabase(databaseUrl);
  const store = createSyncStore({ common: ponder, qb: database.syncQB });
  return { store, database, close: () => Promise.all([pool.end(), ponder.shutdown.kill()]) };
}
