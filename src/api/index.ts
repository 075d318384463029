import { db as readonlyDb } from "ponder:api";
import { contractsOf, firstBlocksOf } from "../../abis/contracts.ts";
import { endBackfillMemory } from "../../engine/backfillMemory.ts";
import type { FailingBlock } from "../../engine/failures/failures.ts";
import { writePonderMetrics } from "../../engine/ponderMetrics.ts";
import { sendConsoleTo } from "../../ops/log/console.ts";
import { readSettings } from "../../settings/settings.ts";
import type { Caller } from "./access/access.ts";
import { callerBehind, originFor, shareOf } from "./access/caller.ts";
import { createAccess } from "./access/createAccess.ts";
import { limitsIn } from "./access/limits.ts";
import { createAvatars } from "./avatars/avatars.ts";
import { CHAIN_A_SECOND } from "./avatars/bounds.ts";
import { avatarRoutes } from "./avatars/routes.ts";
import { comparisonSetting } from "./comparison/listChecks.ts";
import { avatarRecord } from "./endpoints/avatar.ts";
import { operations } from "./endpoints/index.ts";
import { indexedPrimaryNames } from "./endpoints/primaryNames.ts";
import { signupEndpoints } from "./endpoints/signup.ts";
import { webhookEndpoints } from "./endpoints/webhooks.ts";
import { createExplorer } from "./explorer/explorer.ts";
import { feedChannel } from "./feed/channel.ts";
import { readFeedIfAny } from "./feed/read.ts";
import { startFeed } from "./feed/writer.ts";
import { startInPlace } from "./hotReload.ts";
import { createApp } from "./http/app.ts";
import type { Ctx } from "./http/context.ts";
import type { Endpoint } from "./http/endpoint.ts";
import { createHotAnswers, KNOWN_MS } from "./http/hotAnswers.ts";
import { metricsPage, startOperatorServer } from "./http/operatorServer.ts";
import { createPipeline } from "./http/pipeline.ts";
import { createHeads } from "./indexState/chainHead.ts";
import { chainClock, systemClock, systemSeconds } from "./indexState/clock.ts";
import { createConsistentRead, createStateReader } from "./indexState/consistentRead.ts";
import { failingBlockOf, noteFailingBlock } from "./indexState/failingBlock.ts";
import { followJournal } from "./indexState/followJournal.ts";
import { createFreshness } from "./indexState/freshness.ts";
import { type IndexPool, prepareIndexPool } from "./indexState/indexPool.ts";
import { readTablesState } from "./indexState/position.ts";
import { listProgress, readIndexerState } from "./indexState/progress.ts";
import { retryOnLock } from "./indexState/retryOnLock.ts";
import { readIsStandby, readStandby, readWritten } from "./indexState/standby.ts";
import { holdGivenLabels } from "./labels/givenLabels.ts";
import { startHealing } from "./labels/healLabels.ts";
import { createLabelService } from "./labels/labelService.ts";
import { startSharing } from "./labels/shareLabels.ts";
import { createGateways } from "./live/ccip/gatewayClient.ts";
import { liveContractsOf } from "./live/deployment.ts";
import { createLive } from "./live/live.ts";
import { createPrices } from "./live/prices/priceTerms.ts";
import { sellersOf } from "./live/prices/sellers.ts";
import { rateLimiter } from "./live/rateLimiter.ts";
import { createRpc } from "./live/rpc.ts";
import { mcpRoutes } from "./mcp/routes.ts";
import { countedAccess } from "./observe/access.ts";
import { observeComparisons } from "./observe/comparisons.ts";
import { indexMetrics } from "./observe/indexMetrics.ts";
import { countedGateways, countedRpc, observeLive } from "./observe/live.ts";
import { createLog } from "./observe/log.ts";
import { createMeters } from "./observe/meters.ts";
import { observeOperations } from "./observe/operations.ts";
import { watchQueries } from "./observe/queries.ts";
import { observeRequests } from "./observe/requests.ts";
import { observeWebhooks } from "./observe/webhooks.ts";
import { createPages } from "./pages/pages.ts";
import { pairLocks } from "./postgres/advisoryLocks.ts";
import type { Db } from "./postgres/db.ts";
import { listen } from "./postgres/listen.ts";
import { workAlone } from "./postgres/lockedWork.ts";
import { oneChain } from "./query/scope.ts";
import { newestBlock } from "./resolution/newestBlock.ts";
import { lifeOf } from "./rules/life.ts";
import { lastKnown } from "./scheduling/lastKnown.ts";
import { parseName } from "./schemas/input.ts";
import { askedLabelsIn } from "./serviceDb/askedLabels.ts";
import { completedIndexesIn } from "./serviceDb/completedIndexes.ts";
import { failingBlocksIn } from "./serviceDb/failingBlocks.ts";
import { keysIn } from "./serviceDb/keys.ts";
import { trimLedger } from "./serviceDb/ledger.ts";
import { liveAnswersIn } from "./serviceDb/liveAnswers.ts";
import { labelRowsIn, provenLabelsIn } from "./serviceDb/provenLabels.ts";
import { activityIn, readRelease } from "./serviceDb/releases.ts";
import { sharedLabelsIn } from "./serviceDb/sharedLabels.ts";
import { openStore } from "./serviceDb/store.ts";
import { type Verification, verificationsIn } from "./serviceDb/verifications.ts";
import { type Healing, readHealing } from "./statistics/healing.ts";
import { createHub } from "./stream/hub.ts";
import { createStreamPlaces } from "./stream/places.ts";
import { streamRoutes } from "./stream/routes.ts";
import { subgraphRoutes } from "./subgraph/routes.ts";
import { startUpkeep } from "./upkeep/upkeep.ts";
import { createReceivers } from "./webhooks/attempt.ts";
import { readStalledSince, readWebhooksState } from "./webhooks/state.ts";
import { createWebhooks } from "./webhooks/webhooks.ts";
import { startWebhooks } from "./webhooks/worker.ts";

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
  ? (await import("./access/payment.ts")).createPayments(settings.payments, store)
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
