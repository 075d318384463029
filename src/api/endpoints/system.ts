import { z } from "@hono/zod-openapi";
import { pending as pendingNames } from "../counts/searchTotals.ts";
import type { Ctx } from "../http/context.ts";
import { endpoint } from "../http/endpoint.ts";
import { listProgress, readIndexerState } from "../indexState/progress.ts";
import { allChains } from "../query/chains.ts";
import { count } from "../schemas/answers.ts";

const none = (what: string) =>
  count.openapi({ description: `Always 0: ${what}; the field is there for programs that expect it` });

const system = z.strictObject({
  name: z.string().openapi({ example: "mainnet", description: "The chain of the registry" }),
  blocks: z.strictObject({
    chainHead: count.openapi({
      description: "Newest block by the node; the indexed one if the node cannot be asked",
    }),
    fetched: count.openapi({
      description: "Same as `processed`: blocks are fetched and processed in one step",
    }),
    processed: count.openapi({ description: "Newest block in the index" }),
  }),
  services: z.strictObject({
    fetcher: z.strictObject({ running: z.boolean(), synced: z.boolean() }),
    processor: z.strictObject({ running: z.boolean(), synced: z.boolean() }),
    addressProcessor: z.strictObject({
      running: z
        .boolean()
        .openapi({ description: "Addresses are indexed with the events, by the processor" }),
    }),
  }),
  queues: z.strictObject({
    domainsPending: count.openapi({ description: "Domains with a label of which only the hash is known" }),
    domainsReady: none("domains do not queue"),
    eventsPending: none("events are stored and applied in one transaction"),
    eventsPendingNamehashes: none("events are keyed by namehash from the start"),
    eventsDirect: none("events do not queue"),
    cachedMappings: none("no mapping is cached outside the tables"),
  }),
  addressProcessor: z.strictObject({
    addressCount: none("addresses have no processor of their own"),
    eventsRemaining: none("addresses have no processor of their own"),
    lastEventId: none("addresses have no processor of their own"),
  }),
});

/** An index that is at most this far behind the chain counts as synced: a new block is always on its way. */
const SYNCED_BLOCKS = 5;

const stats = endpoint({
  method: "get",
  path: "/stats",
  group: "System",
  summary: "How far the index is",
  reply: system.openapi("Stats"),
  cost: 0,
  index: "any state",
  handle: async (_, ctx) => {
    const { running, ready, ...progress } = await readProgress(ctx);
    const synced = ready && progress.head - progress.processed <= SYNCED_BLOCKS;
    return {
      name: ctx.contracts.chainName(ctx.contracts.chainId),
      blocks: { chainHead: progress.head, fetched: progress.processed, processed: progress.processed },
      services: {
        fetcher: { running, synced },
        processor: { running, synced },
        addressProcessor: { running },
      },
      queues: {
        domainsPending: progress.pending,
        domainsReady: 0,
        eventsPending: 0,
        eventsPendingNamehashes: 0,
        eventsDirect: 0,
        cachedMappings: 0,
      },
      addressProcessor: { addressCount: 0, eventsRemaining: 0, lastEventId: 0 },
    };
  },
});

async function readProgress(ctx: Ctx) {
  const { db, contracts, chainHead } = ctx;
  const [indexer, chains, pending, nodeHead] = await Promise.all([
    readIndexerState(db),
    listProgress(db),
    pendingNow(ctx),
    chainHead(contracts.chainId),
  ]);
  const processed = chains.find(({ chainId }) => chainId === contracts.chainId)?.blockNumber ?? 0;
  const head = Math.max(nodeHead?.number ?? 0, processed);
  return { running: indexer.isRunning, ready: indexer.isReady, processed, pending, head };
}

/** Names of all chains whose label is not known. */
const pendingNow = ({ db, contracts }: Ctx) => pendingNames.read(db, allChains(contracts));

const pendingStats = endpoint({
  method: "get",
  path: "/pending-stats",
  group: "System",
  summary: "How many names have an unknown label",
  description: "Domains of which only the hash of the label is known yet; they are shown as `[<64 hex>]`.",
  reply: z.strictObject({ pendingCount: count }).openapi("PendingStats"),
  cost: 0,
  index: "any state",
  handle: async (_, ctx) => ({ pendingCount: await pendingNow(ctx) }),
});

export const systemEndpoints = [stats, pendingStats];
