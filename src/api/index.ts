import { publicClients, db as readonlyDb } from "ponder:api";
import { type Access, openAccess } from "./access/access.ts";
import { callerBehind } from "./access/caller.ts";
import { limitsIn } from "./access/limits.ts";
import { meteredAccess } from "./access/metered.ts";
import { createApp } from "./app.ts";
import { chainClock, systemClock } from "./clock.ts";
import type { Ctx, Db } from "./context.ts";
import { contractsOf } from "./contracts.ts";
import type { Endpoint } from "./endpoint.ts";
import { operations } from "./endpoints/index.ts";
import { ApiError } from "./errors.ts";
import { liveContractsOf } from "./live/deployment.ts";
import { createGateways } from "./live/gateway.ts";
import { createLive } from "./live/live.ts";
import { createRpc } from "./live/rpc.ts";
import { newestBlock } from "./newestBlock.ts";
import { createPages } from "./pages/pages.ts";
import { readIndexerState } from "./query/progress.ts";
import { readSettings } from "./settings.ts";
import { keysIn } from "./store/keys.ts";
import { liveAnswersIn } from "./store/liveAnswers.ts";
import { openStore } from "./store/store.ts";

const db: Db = readonlyDb;
const settings = readSettings(process.env);
const { deployment, network } = settings;
const contracts = contractsOf(deployment);
const isPublicNetwork = network === "mainnet" || network === "sepolia";
const now = isPublicNetwork ? systemClock : chainClock(db);

const store = openStore({ databaseUrl: settings.databaseUrl, schema: settings.serviceSchema });
const live = createLive({
  rpc: createRpc({ urls: settings.liveRpcUrls }),
  gateways: createGateways({ allowLoopback: settings.loopbackGateways }),
  answers: liveAnswersIn(store, contracts),
  contracts: liveContractsOf(deployment),
});

/** A developer's chain has a clock of its own, by which no index is late. */
const liveBlock = async () =>
  newestBlock(
    { db, live },
    { chainId: contracts.chainId, clock: isPublicNetwork ? await systemClock() : null },
  );

const HEAD_CACHE_MS = 1_000;
let head: { block: Promise<number | null>; until: number } | undefined;

/** The node is asked at most once a second: the question goes through the indexer's own request budget. */
function chainHead(): Promise<number | null> {
  if (head === undefined || head.until < Date.now()) {
    head = { block: askForHead(), until: Date.now() + HEAD_CACHE_MS };
  }
  return head.block;
}

async function askForHead(): Promise<number | null> {
  const client = publicClients[deployment.name];
  try {
    return client ? Number(await client.getBlockNumber()) : null;
  } catch {
    return null; // `/stats` then shows the indexed block.
  }
}

/** Once seen ready, the index stays fit for answers: a restarted indexer goes on where it was. */
let isReady = false;

async function requireIndex(): Promise<void> {
  isReady ||= (await readIndexerState(db)).isReady;
  if (!isReady) {
    throw new ApiError(
      "NO_INDEXERS_AVAILABLE",
      "The index is still being built; /stats tells how far it is.",
    );
  }
}

async function makeCtx(operation: Pick<Endpoint, "answersWhileBuilding">): Promise<Ctx> {
  if (!operation.answersWhileBuilding) await requireIndex();
  return { db, contracts, now: await now(), live, liveBlock, chainHead };
}

const access: Access =
  settings.access === "open"
    ? openAccess
    : meteredAccess({ keys: keysIn(store), limits: limitsIn(store), payments: null });

const pages = createPages(operations, () => makeCtx({ answersWhileBuilding: true }), settings.access);

export default createApp({
  operations,
  makeCtx,
  access,
  callerOf: callerBehind(settings.trustedProxies),
  pages,
});
