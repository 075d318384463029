import { ponderModule, quietLogger } from "../../engine/ponderModule.ts";

/** Ponder's own store of its cache, on a database; its tables are created. `close` ends its connections. */
export async function openPonderCache(databaseUrl: string | undefined) {
  const [{ createDatabase }, { createSyncStore }, { MetricsService }, { createShutdown }] = await Promise.all(
    ["database/index.js", "sync-store/index.js", "internal/metrics.js", "internal/shutdown.js"].map(
      ponderModule,
    ),
  );
  const shutdown = createShutdown();
  const common = {
    ...{ logger: quietLogger, metrics: new MetricsService(), shutdown, apiShutdown: createShutdown() },
    options: { command: "serve", databaseMaxQueryParameters: 100, databaseHeartbeatInterval: 10_000 },
  };
  const database = createDatabase({
    common,
    namespace: { schema: "trial", viewsSchema: undefined },
    preBuild: {
      databaseConfig: { kind: "postgres", poolConfig: { connectionString: databaseUrl, max: 4 } },
      ordering: "multichain",
    },
    schemaBuild: { schema: {}, statements: { tables: { sql: [], json: [] } } },
  });
  await database.migrateSync();
  return { store: createSyncStore({ common, qb: database.syncQB }), close: () => shutdown.kill() };
}
