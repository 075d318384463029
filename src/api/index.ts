import { db as readonlyDb } from "ponder:api";
import { contractsOf, firstBlocksOf } from "../../abis/contracts.ts";
import { endBackfillMemory } from "../../engine/backfillMemory.ts";
import type { FailingBlock } from "../../engine/failures/failures.ts";
import { writePonderMetrics } from "../../engine/ponderMetrics.ts";
import { sendConsoleTo } from "../../ops/log/console.ts";
import { readSettings } from "../../settings/settings.ts";
import { createAvatars } from "./features/avatars/avatars.ts";
import { CHAIN_A_SECOND } from "./features/avatars/bounds.ts";
import { avatarRoutes } from "./features/avatars/routes.ts";
import { createExplorer } from "./features/explorer/explorer.ts";
import { feedChannel } from "./features/feed/channel.ts";
import { readFeedIfAny } from "./features/feed/read.ts";
import { createHub } from "./features/feed/stream/hub.ts";
import { createStreamPlaces } from "./features/feed/stream/places.ts";
import { streamRoutes } from "./features/feed/stream/routes.ts";
import { startFeed } from "./features/feed/writer.ts";
import { mcpRoutes } from "./features/mcp/routes.ts";
import { createPages } from "./features/pages/pages.ts";
import { subgraphRoutes } from "./features/subgraph/routes.ts";
import { createReceivers } from "./features/webhooks/attempt.ts";
import { readStalledSince, readWebhooksState } from "./features/webhooks/state.ts";
import { createWebhooks } from "./features/webhooks/webhooks.ts";
import { startWebhooks } from "./features/webhooks/worker.ts";
import { comparisonSetting } from "./names/comparison/listChecks.ts";
import { avatarRecord } from "./names/endpoints/avatar.ts";
import { operations } from "./names/endpoints/index.ts";
import { indexedPrimaryNames } from "./names/endpoints/primaryNames.ts";
import { signupEndpoints } from "./names/endpoints/signup.ts";
import { webhookEndpoints } from "./names/endpoints/webhooks.ts";
import { holdGivenLabels } from "./names/labels/givenLabels.ts";
import { startHealing } from "./names/labels/healLabels.ts";
import { createLabelService } from "./names/labels/labelService.ts";
import { startSharing } from "./names/labels/shareLabels.ts";
import { createGateways } from "./names/live/ccip/gatewayClient.ts";
import { liveContractsOf } from "./names/live/deployment.ts";
import { createLive } from "./names/live/live.ts";
import { createPrices } from "./names/live/prices/priceTerms.ts";
import { sellersOf } from "./names/live/prices/sellers.ts";
import { rateLimiter } from "./names/live/rateLimiter.ts";
import { createRpc } from "./names/live/rpc.ts";
import { oneChain } from "./names/query/scope.ts";
import { newestBlock } from "./names/resolution/newestBlock.ts";
import { lifeOf } from "./names/rules/life.ts";
import { parseName } from "./names/schemas/input.ts";
import { type Healing, readHealing } from "./names/statistics/healing.ts";
import type { Caller } from "./server/access/access.ts";
import { callerBehind, originFor, shareOf } from "./server/access/caller.ts";
import { createAccess } from "./server/access/createAccess.ts";
import { limitsIn } from "./server/access/limits.ts";
import { startInPlace } from "./server/hotReload.ts";
import { createApp } from "./server/http/app.ts";
import type { Ctx } from "./server/http/context.ts";
import type { Endpoint } from "./server/http/endpoint.ts";
import { createHotAnswers, KNOWN_MS } from "./server/http/hotAnswers.ts";
import { metricsPage, startOperatorServer } from "./server/http/operatorServer.ts";
import { createPipeline } from "./server/http/pipeline.ts";
import { createHeads } from "./server/indexState/chainHead.ts";
import { chainClock, systemClock, systemSeconds } from "./server/indexState/clock.ts";
import { createConsistentRead, createStateReader } from "./server/indexState/consistentRead.ts";
import { failingBlockOf, noteFailingBlock } from "./server/indexState/failingBlock.ts";
import { followJournal } from "./server/indexState/followJournal.ts";
import { createFreshness } from "./server/indexState/freshness.ts";
import { type IndexPool, prepareIndexPool } from "./server/indexState/indexPool.ts";
import { readTablesState } from "./server/indexState/position.ts";
import { listProgress, readIndexerState } from "./server/indexState/progress.ts";
import { retryOnLock } from "./server/indexState/retryOnLock.ts";
import { readIsStandby, readStandby, readWritten } from "./server/indexState/standby.ts";
import { countedAccess } from "./server/observe/access.ts";
import { observeComparisons } from "./server/observe/comparisons.ts";
import { indexMetrics } from "./server/observe/indexMetrics.ts";
import { countedGateways, countedRpc, observeLive } from "./server/observe/live.ts";
import { createLog } from "./server/observe/log.ts";
import { createMeters } from "./server/observe/meters.ts";
import { observeOperations } from "./server/observe/operations.ts";
import { watchQueries } from "./server/observe/queries.ts";
import { observeRequests } from "./server/observe/requests.ts";
import { observeWebhooks } from "./server/observe/webhooks.ts";
import { pairLocks } from "./server/postgres/advisoryLocks.ts";
import type { Db } from "./server/postgres/db.ts";
import { listen } from "./server/postgres/listen.ts";
import { workAlone } from "./server/postgres/lockedWork.ts";
import { lastKnown } from "./server/scheduling/lastKnown.ts";
import { askedLabelsIn } from "./server/serviceDb/askedLabels.ts";
import { completedIndexesIn } from "./server/serviceDb/completedIndexes.ts";
import { failingBlocksIn } from "./server/serviceDb/failingBlocks.ts";
import { keysIn } from "./server/serviceDb/keys.ts";
import { trimLedger } from "./server/serviceDb/ledger.ts";
import { liveAnswersIn } from "./server/serviceDb/liveAnswers.ts";
import { labelRowsIn, provenLabelsIn } from "./server/serviceDb/provenLabels.ts";
import { activityIn, readRelease } from "./server/serviceDb/releases.ts";
import { sharedLabelsIn } from "./server/serviceDb/sharedLabels.ts";
import { openStore } from "./server/serviceDb/store.ts";
import { type Verification, verificationsIn } from "./server/serviceDb/verifications.ts";
import { startUpkeep } from "./upkeep/upkeep.ts";

const settings = readSettings(process.env);
parseName("eth"); // The tables of normalisation take long to unpack: not at the first request, which all others would await.
const { deployment, network, databaseUrl, schema, ledgerDays } = settings;
const contracts = contractsOf(deployment);
const { chainId } = contracts;

// The databases: the index, which is only read, and the service's own tables.
const db: Db = readonlyDb;
const { $client: pool } = readonlyDb as unknown as { $client: IndexPool };
const store = openStore({ databaseUrl: settings.serviceDatabaseUrls, schema: settings.serviceSchema });

const log = createLog();
// Ponder prints for people through the console, unless its log is JSON.
if (process.argv.includes("--log-format")) sendConsoleTo(log);
const meters = createMeters();
watchQueries(pool, { log, meters, slowMs: settings.slowQueryMs });
prepareIndexPool(pool);

// Public chains make their blocks by the computer's clock; a development chain has a clock of its own.
const blockClock = network === "mainnet" || network === "sepolia" ? systemSeconds : null;
const now = blockClock === null ? chainClock(db) : systemClock;

/** What the service itself asks of the chain is counted as one caller's. */
const OWN_SHARE = "the service";

const liveFor = createLive({
  rpc: countedRpc(
    createRpc({ urls: settings.liveRpcUrls, requestsPerSecond: settings.liveRequestsPerSecond }),
    meters,
  ),
  gateways: countedGateways(
    createGateways({
      allowLoopback: settings.loopbackGateways,
      ownHosts: settings.publicUrls.map((url) => new URL(url).host),
    }),
    meters,
  ),
  answers: liveAnswersIn(store, contracts),
  contracts: liveContractsOf(deployment),
  observer: observeLive(meters),
});
const liveBlock = () =>
  newestBlock({ db, live: liveFor(OWN_SHARE) }, { chainId, clock: blockClock?.() ?? null });

/** Nodes of the layer 2s: prices there are all that they are asked for at request time. */
const rpcOfLayer2 = new Map(
  Object.entries(settings.rpcUrls).map(([id, urls]) => [
    Number(id),
    countedRpc(
      createRpc({
        urls: settings.liveRpcUrls.length > 0 ? urls : [],
        requestsPerSecond: settings.liveRequestsPerSecond,
      }),
      meters,
    ),
  ]),
);
/** The nodes of a chain; the main chain's in the share of a caller. */
const nodesOf = (id: number, caller: string) => {
  const { rpc, ...others } = liveFor(caller).reach();
  const found = id === chainId ? rpc : rpcOfLayer2.get(id);
  return found?.isConfigured ? { ...others, rpc: found } : null;
};
const prices = createPrices({
  sellers: sellersOf(deployment),
  reach: (id) => {
    const own = liveFor(OWN_SHARE).reach();
    const ofLayer2 = id === chainId ? undefined : rpcOfLayer2.get(id);
    return { ...own, ...(ofLayer2 && { rpc: ofLayer2 }) };
  },
});

const chainHead = createHeads(settings.rpcUrls);
const lastVerification = verificationsIn(store);
const failingBlocks = failingBlocksIn(store);
startInPlace("failing block", () => noteFailingBlock(failingBlocks, schema));
/** A standby answers while its primary, which has the service's own tables, is away: it is not waited for. */
const soon = { withinMs: 1_000, first: null } as const;
const verificationNow = lastKnown<string, Verification | null>(lastVerification, soon);
const freshness = createFreshness({
  db,
  heads: chainHead,
  completed: completedIndexesIn(store),
  isActive: lastKnown(activityIn(store), { ...soon, first: false }),
  lastVerification: verificationNow,
  failingBlock: lastKnown<string, FailingBlock | null>(failingBlockOf(failingBlocks), soon),
  standby: () => readStandby(db, () => readWritten(store)),
  chainId,
  startBlocks: firstBlocksOf(deployment),
  clock: blockClock,
  schema,
  maxLagSeconds: settings.maxLagSeconds,
});
freshness.watch();

startInPlace("upkeep", () =>
  startUpkeep({
    databaseUrl,
    schema,
    now,
    chains: contracts.chainIds.map((id) => oneChain(id, contracts)),
    finalTime: async (id) =>
      (await listProgress(db)).find((chain) => chain.chainId === id)?.finalizedTimestamp ?? 0,
    isReady: async () => (await readIndexerState(db)).isReady,
    whenReady: endBackfillMemory,
    chores: async () => (ledgerDays === null ? undefined : trimLedger(store, ledgerDays)),
    log: (line) => console.log(line),
  }),
);

startInPlace("feed", () =>
  startFeed({
    databaseUrl,
    schema,
    rules: lifeOf(contracts.ensv2),
    retention: settings.changes,
    active: async () => (await readRelease(store)).active,
    log: (line, level) => console[level ?? "log"](line),
  }),
);

// The payment library takes half a second to load: only a service that accepts payments waits for it.
const payments = settings.payments
  ? (await import("./server/access/payment.ts")).createPayments(settings.payments, store)
  : null;
const { access: chosenAccess, signup } = createAccess(
  {
    mode: settings.access,
    payments,
    freeItems: settings.freeBulkItems,
    publicUrls: settings.publicUrls,
    chainId,
    rpcUrls: settings.liveRpcUrls,
  },
  store,
);
const access = countedAccess(chosenAccess, meters);

/** Receivers on this machine are allowed where gateways are: on a local chain. */
const receivers = {
  ownHosts: settings.publicUrls.map((url) => new URL(url).host),
  allowLoopback: settings.loopbackGateways,
};
const { secretKey } = settings.webhooks;
const isPaid = settings.access === "metered";
const webhooks = createWebhooks({
  store,
  keys: keysIn(store),
  limits: limitsIn(store),
  secretKey,
  receivers: createReceivers(receivers),
});
if (secretKey !== null) {
  startInPlace("webhooks", () =>
    startWebhooks({
      databaseUrl,
      schema,
      serviceSchema: settings.serviceSchema,
      db,
      contracts,
      secretKey,
      receivers,
      isPaid,
      observer: observeWebhooks(meters),
      // A standby may be behind what was sorted already: processes on the primary sort and send.
      isActive: async () =>
        !(await readIsStandby(db)) && [null, schema].includes((await readRelease(store)).active),
      log: (line) => console.warn(line),
    }),
  );
}

const offered = [
  ...operations,
  ...webhookEndpoints(webhooks),
  ...(signup === null ? [] : signupEndpoints(signup)),
];

const provenLabels = provenLabelsIn(store);
const given = holdGivenLabels({ rows: labelRowsIn(store), schema, warn: (line) => console.warn(line) });
startInPlace("given labels", () => given);
// The handlers of the index run in this process, and import nothing of the API.
Object.assign(globalThis, { namedexGivenLabels: given });
// On a standby a lock would hold back no process on another server.
const mayWorkOnLabels = async () => !(await readIsStandby(db)) && (await readIndexerState(db)).isReady;
if (contracts.chainIds.length > 1) {
  const { chainIds } = contracts;
  const lock = [pairLocks.labelSharing, `${settings.serviceSchema} ${schema}`] as const;
  const locked = { databaseUrl, applicationName: `${settings.serviceSchema}_shared_labels`, lock };
  startInPlace("label sharing", () =>
    startSharing({
      shared: sharedLabelsIn(store, { schema, chainIds }),
      mayShare: mayWorkOnLabels,
      alone: (stopped, work) => workAlone({ ...locked, stopped }, (_, ended) => work(ended)),
      warn: (line) => console.warn(line),
    }),
  );
}
const { labelHealing } = settings;
if (labelHealing !== null) {
  const source = `service:${labelHealing.set.id}@${labelHealing.set.version}`;
  const { serviceSchema } = settings;
  const locked = {
    databaseUrl,
    applicationName: `${serviceSchema}_labels`,
    lock: [pairLocks.labelHealing, `${serviceSchema} ${source}`] as const,
  };
  startInPlace("label healing", () =>
    startHealing({
      service: createLabelService({
        ...labelHealing,
        ownHosts: settings.publicUrls.map((url) => new URL(url).host),
      }),
      asked: askedLabelsIn(store, source),
      schema,
      mayAsk: mayWorkOnLabels,
      alone: (stopped, work) => workAlone({ ...locked, stopped }, (_, ended) => work(ended)),
      warn: (line) => console.warn(line),
    }),
  );
}
const comparison = { setting: comparisonSetting(deployment), note: observeComparisons({ meters, log }) };
/** A name's page of the explorer, or its JSON. */
const namesAt = (origin: string | null) =>
  origin && `${origin}/${settings.hasExplorer ? "explore/name" : "whois"}/`;
/** What needs no index is answered without its database, too: the computer's clock is right enough for that. */
const timeFor = (operation?: Endpoint): Promise<number> =>
  operation !== undefined && operation.index === undefined ? now() : now().catch(() => systemSeconds());
const createContext = async (caller?: Caller, operation?: Endpoint): Promise<Ctx> => ({
  db,
  contracts,
  liveBlock,
  prices,
  provenLabels,
  chainHead,
  freshness,
  comparison,
  now: await timeFor(operation),
  namesAt: namesAt(originFor(caller, settings.publicUrls)),
  // What is free is answered before any key is checked.
  live: liveFor(caller ? shareOf(caller, operation?.cost === 0 ? "open" : settings.access) : OWN_SHARE),
});
const states = createStateReader(() => readTablesState(db));
startInPlace("journal", () => followJournal({ databaseUrl, schema, readState: states.readChanged }));
const server = {
  executeOperation: createPipeline({
    createContext,
    requireReadyIndex: freshness.require,
    access,
    observe: observeOperations(meters),
    hotAnswers: createHotAnswers({
      readVersion: async () => (await states.readWithin(KNOWN_MS)).version,
      maxBytes: settings.hotAnswerBytes,
    }),
    readConsistently: createConsistentRead(db, states),
  }),
  callerOf: callerBehind(settings.trustedProxies),
  countRequests: access.count,
};

const pages = createPages({
  operations: offered,
  createContext: () => retryOnLock(createContext),
  access: settings.access,
  priceOf: payments?.offer,
  hasExplorer: settings.hasExplorer,
  publicUrl: settings.publicUrls[0],
});

const places = createStreamPlaces();
// The service's own tables may be away alone, where a standby is read: then the other metrics are given.
const healingNow = lastKnown<Ctx, Healing | null>(readHealing, soon);
const readWebhooks = async () => ({
  ...(await readWebhooksState(store, { isPaid })),
  stalledSince: await readStalledSince(db, store),
});
const webhooksNow = lastKnown<null, Awaited<ReturnType<typeof readWebhooks>> | null>(readWebhooks, soon);
const metricsPages = {
  "/index-metrics": async () => {
    const ctx = await retryOnLock(createContext);
    return metricsPage(
      await indexMetrics(
        {
          ...ctx,
          lastVerification: verificationNow,
          readHealing: () => healingNow(ctx),
          readFeed: () => readFeedIfAny(db),
          readWebhooks: () => webhooksNow(null),
          countStreams: places.count,
        },
        meters,
      ),
    );
  },
  "/metrics": async () => {
    const text = await writePonderMetrics();
    return text === null ? null : metricsPage(text);
  },
};
// A port that cannot be opened is no rejection that anything handles: Ponder says why, and ends with code 75.
startInPlace("metrics", () =>
  startOperatorServer(settings.metrics, {
    pages: metricsPages,
    onError: (error) => log.error({ error }, "metrics cannot be read"),
  }),
);

const takeAvatarTurn = rateLimiter(CHAIN_A_SECOND);
const avatars = avatarRoutes({
  ...server,
  record: avatarRecord(takeAvatarTurn),
  shareOf: (caller) => shareOf(caller, "open"),
  avatars: createAvatars({
    ownHosts: settings.publicUrls.map((url) => new URL(url).host),
    allowLoopback: settings.loopbackGateways,
    ipfsGateway: settings.ipfsGateway,
    chain: nodesOf,
    takeTurn: takeAvatarTurn,
  }),
});

const explorer = createExplorer({
  operations: offered,
  ...server,
  primaryNames: indexedPrimaryNames,
  hasAvatars: settings.hasAvatars,
  outside: {
    mainChain: contracts.chainName(chainId),
    ipfsGateway: settings.ipfsGateway?.startsWith("https:") ? settings.ipfsGateway : null,
    blockExplorers: Object.fromEntries(
      [...settings.blockExplorers].map(([id, url]) => [contracts.chainName(id), url]),
    ),
  },
  access: settings.access,
  publicUrl: settings.publicUrls[0],
});

const hub = createHub({ db, onError: (error) => log.warn({ error }, "the feed of changes cannot be read") });
startInPlace("stream", () => {
  const line = listen({
    databaseUrl,
    channel: feedChannel(schema),
    applicationName: `${schema}_stream`,
    onNews: hub.look,
  });
  return { stop: async () => void (await Promise.all([line.stop(), hub.stop()])) };
});

export default createApp({
  operations: offered,
  ...server,
  observe: observeRequests({ meters, log, requestLog: settings.requestLog }),
  otherRoutes: [
    ...(settings.hasExplorer ? [explorer] : []),
    ...(settings.hasAvatars ? [avatars] : []),
    pages,
    mcpRoutes(offered, server, settings.publicUrls),
    streamRoutes({
      db,
      contracts,
      hub,
      access,
      callerOf: server.callerOf,
      places,
      requireReadyIndex: freshness.require,
      shareOf: (caller) => shareOf(caller, settings.access),
    }),
    subgraphRoutes(server, (caller) => shareOf(caller, settings.access)),
  ],
});
