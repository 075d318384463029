import { numberToHex } from "viem";
import { quietLogger } from "../../engine/ponderModule.ts";
import { ponderModule } from "./ponders.ts";

const EVENT = "Resolver:Text";

type Handler = (given: { event: unknown; context: { db: unknown } }) => unknown;

/** The rows that handlers find in Ponder's store, and how Ponder reads ahead for them. By default the store is empty. */
type Store = { indexingStore: { db: unknown }; indexingCache: object; eventCount: Record<string, number> };

const nothing = (): Store => ({
  indexingStore: { db: {} },
  indexingCache: { journal: { begin: () => {}, undo: () => true }, prefetch: async () => {} },
  eventCount: { [EVENT]: 0 },
});

/** Ponder's calls of a handler (indexing/index.js), for logs of a contract. */
export async function openIndexing(
  handler: Handler,
  { indexingStore, indexingCache, eventCount } = nothing(),
) {
  const [{ createColumnAccessPattern, createIndexing }, { MetricsService }] = await Promise.all(
    ["indexing/index.js", "internal/metrics.js"].map(ponderModule),
  );
  const chain = { id: 1, name: "mainnet" };
  const callback = { name: EVENT, fn: handler, chain, filter: { type: "log", include: [] } };
  const indexingBuild = {
    eventCallbacks: [[callback]],
    setupCallbacks: [[]],
    chains: [chain],
    contracts: [{}],
    indexingFunctions: [{ name: EVENT, fn: handler }],
  };
  const common = {
    logger: quietLogger,
    metrics: new MetricsService(),
    shutdown: { isKilled: false },
    options: { rootDir: process.cwd(), indexingDir: process.cwd() },
  };
  const indexing = createIndexing({
    common,
    indexingBuild,
    indexingStore,
    indexingCache,
    eventCount,
    client: { getClient: () => ({}), event: undefined },
    indexingErrorHandler: { getRetryableError: () => undefined },
    columnAccessPattern: createColumnAccessPattern({ indexingBuild }),
  });
  const eventOf = (number: number) => ({
    type: "log",
    chain,
    eventCallback: callback,
    checkpoint: "0".repeat(75),
    event: {
      id: String(number),
      args: { node: numberToHex(number, { size: 32 }) },
      log: { address: numberToHex(1, { size: 20 }), logIndex: number },
      block: { number: 1n, timestamp: 1n, hash: numberToHex(1, { size: 32 }), miner: "0x02" },
      transaction: { hash: numberToHex(3, { size: 32 }), from: "0x04", to: "0x05", transactionIndex: 0 },
    },
  });
  return { indexing, eventOf };
}
