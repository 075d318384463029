import { z } from "@hono/zod-openapi";
import type { Ctx } from "../../server/http/context.ts";
import { endpoint } from "../../server/http/endpoint.ts";
import { listProgress, readIndexerState } from "../../server/indexState/progress.ts";
import { pending as pendingNames } from "../counts/searchTotals.ts";
import { allChains } from "../query/scope.ts";
import { countWaiting } from "../query/waiting.ts";
import { count } from "../schemas/answers.ts";
import { readHealing } from "../statistics/healing.ts";

/** The count of a queue that this index does not have, with what it counts and why it is zero. */
const none = (what: string, because: string) =>
  count.openapi({ description: `${what}. Always 0: ${because}` });

const WITH_EVENTS = "the processor writes addresses together with events";

const system = z.strictObject({
  name: z.string().openapi({ example: "mainnet", description: "The chain of the registry" }),
  blocks: z.strictObject({
    chainHead: count.openapi({
      description: "Newest block of the node; the indexed one if the node cannot be reached",
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
      running: z.boolean().openapi({ description: "The processor indexes addresses together with events" }),
    }),
  }),
  queues: z.strictObject({
    domainsPending: count.openapi({ description: "Domains with a label known only by its hash" }),
    domainsReady: count.openapi({
      description:
        "Lists of domains below a newly known label that wait to be updated. The indexer updates many domains with a block, and the rest with later ones",
    }),
    eventsPending: none("Events stored but not yet applied to domains", "both happen in one transaction"),
    eventsPendingNamehashes: count.openapi({
      description:
        "Lists of ENSv2 entries that wait for their names and namehashes: their registry was linked or unlinked. 0 without ENSv2",
    }),
    eventsDirect: none(
      "Events without a label that wait to be applied by namehash",
      "events are applied as they are stored",
    ),
    cachedMappings: none("Pairs of namehash and name held in memory", "names are read from the tables"),
  }),
  addressProcessor: z.strictObject({
    addressCount: none("Addresses written by the address processor", WITH_EVENTS),
    eventsRemaining: none("Events not yet read by the address processor", WITH_EVENTS),
    lastEventId: none("Number of the last event read by the address processor", WITH_EVENTS),
  }),
});

/** An index at most this far behind the chain counts as synced, because a new block is always on its way. */
const SYNCED_BLOCKS = 5;

const stats = endpoint({
  method: "get",
  path: "/stats",
  group: "System",
  summary: "Indexing progress",
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
        domainsReady: progress.waiting.renames,
        eventsPending: 0,
        eventsPendingNamehashes: progress.waiting.mounts,
        eventsDirect: 0,
        cachedMappings: 0,
      },
      addressProcessor: { addressCount: 0, eventsRemaining: 0, lastEventId: 0 },
    };
  },
});

async function readProgress(ctx: Ctx) {
  const { db, contracts, chainHead } = ctx;
  const [indexer, chains, pending, waiting, nodeHead] = await Promise.all([
    readIndexerState(db),
    listProgress(db),
    pendingNames.read(db, allChains(contracts)),
    countWaiting(db),
    chainHead(contracts.chainId),
  ]);
  const processed = chains.find(({ chainId }) => chainId === contracts.chainId)?.blockNumber ?? 0;
  const head = Math.max(nodeHead?.number ?? 0, processed);
  return { running: indexer.isRunning, ready: indexer.isReady, processed, pending, waiting, head };
}

const pendingStats = endpoint({
  method: "get",
  path: "/pending-stats",
  group: "System",
  summary: "Names with unknown labels",
  description:
    "Domains whose label is still known only by its hash, shown as `[<64 hex>]`; and labels given by callers, tables or a service, counted once a minute.",
  reply: z
    .strictObject({
      pendingCount: count.openapi({ description: "Domains with a label known only by its hash" }),
      healedCount: count.openapi({
        description: "Labels that no log spells out, with text from a caller, a table or a service",
      }),
      healedShare: z.number().min(0).max(1).openapi({
        description: "Share of `healedCount` in `healedCount` and `pendingCount` together",
      }),
      waitingCount: count.openapi({
        description: "Labels given, but not yet applied on every chain by the indexer",
      }),
    })
    .openapi("PendingStats"),
  cost: 0,
  index: "any state",
  handle: async (_, ctx) => {
    const { pending, healed, waiting } = await readHealing(ctx);
    const healedShare = healed === 0 ? 0 : healed / (healed + pending);
    return { pendingCount: pending, healedCount: healed, healedShare, waitingCount: waiting };
  },
});

export const systemEndpoints = [stats, pendingStats];
