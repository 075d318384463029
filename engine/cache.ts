import { CACHE_SCHEMA } from "./cacheSchema.ts";
import { ponderModule, quietLogger } from "./ponderModule.ts";

/** Which blocks of which contracts the cache has. */
const INTERVALS = "intervals";

/** Contracts whose logs reveal other contracts to follow, and those contracts. */
const FACTORIES = "factories";
const FACTORY_ADDRESSES = "factory_addresses";

/**
 * The tables of the cache that an index of Namedex uses (sync-store/schema.js). What says which blocks are there comes
 * last: until then the rest is only not asked for again.
 */
export const cacheTables: readonly string[] = [
  "blocks",
  "transactions",
  "transaction_receipts",
  "logs",
  "traces",
  "rpc_request_results",
  FACTORIES,
  FACTORY_ADDRESSES,
  INTERVALS,
];

/** The condition for a cache table's rows of some chains. A factory is of the chain of the contracts that it tells of. */
export const ofChains = (table: string, chainIds: readonly number[]): string => {
  const condition = `chain_id in (${chainIds.map(Number).join(", ")})`;
  return table === FACTORIES
    ? `id in (select factory_id from ${CACHE_SCHEMA}.${FACTORY_ADDRESSES} where ${condition})`
    : condition;
};

/** Statements after which new rows get numbers that no row has; rows that were copied in brought theirs. */
export const numberingStatements: readonly string[] = [FACTORIES, FACTORY_ADDRESSES].map(
  (table) =>
    `select setval(pg_get_serial_sequence('${CACHE_SCHEMA}.${table}', 'id'), max(id)) from ${CACHE_SCHEMA}.${table}`,
);

export const saysWhatIsCached = (table: string): boolean => table === INTERVALS;

/** Creates the cache's tables as Ponder does at each start, or brings them up to date. */
export async function createCache(databaseUrl: string): Promise<void> {
  const [{ createDatabase }, { buildOptions }, { createShutdown }, { MetricsService }] = await Promise.all(
    ["database/index.js", "internal/options.js", "internal/shutdown.js", "internal/metrics.js"].map(
      ponderModule,
    ),
  );
  const shutdown = createShutdown();
  // The command `serve` holds no lock on an index, so that none is given back at the end.
  const options = buildOptions({ cliOptions: { command: "serve", config: "ponder.config.ts" } });
  const common = { options, logger: quietLogger, metrics: new MetricsService(), shutdown };
  const databaseConfig = {
    kind: "postgres",
    poolConfig: { connectionString: databaseUrl, max: CONNECTIONS },
  };
  try {
    const parts = {
      namespace: { schema: CACHE_SCHEMA },
      preBuild: { databaseConfig },
      schemaBuild: { schema: {} },
    };
    await createDatabase({ common, ...parts }).migrateSync();
  } finally {
    await shutdown.kill();
  }
}

const CONNECTIONS = 4;
