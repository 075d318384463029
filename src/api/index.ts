import { db as readonlyDb } from "ponder:api";
import { contractsOf, firstBlocksOf } from "../../abis/contracts.ts";
import { readSettings } from "../../settings/settings.ts";
import { type Access, openAccess } from "./access/access.ts";
import { callerBehind } from "./access/caller.ts";
import { limitsIn } from "./access/limits.ts";
import { meteredAccess } from "./access/metered.ts";
import { signatureCheck } from "./access/signature.ts";
import { createSignup, signupLimiterIn } from "./access/signup.ts";
import { operations } from "./endpoints/index.ts";
import { signupEndpoints } from "./endpoints/signup.ts";
import { startInPlace } from "./hotReload.ts";
import { createApp } from "./http/app.ts";
import type { Ctx } from "./http/context.ts";
import type { Endpoint } from "./http/endpoint.ts";
import { createHeads } from "./indexState/chainHead.ts";
import { chainClock, systemClock } from "./indexState/clock.ts";
import { createConsistentRead } from "./indexState/consistentRead.ts";
import { createFreshness } from "./indexState/freshness.ts";
import { readIndexerState } from "./indexState/progress.ts";
import { retryOnLock } from "./indexState/retryOnLock.ts";
import { createGateways } from "./live/ccip/gatewayClient.ts";
import { liveContractsOf } from "./live/deployment.ts";
import { createLive } from "./live/live.ts";
import { createRpc } from "./live/rpc.ts";
import { countedAccess } from "./observe/access.ts";
import { countedGateways, countedRpc, observeLive } from "./observe/live.ts";
import { createLog } from "./observe/log.ts";
import { createMeters } from "./observe/meters.ts";
import { observedOperation } from "./observe/operations.ts";
import { type Pool, watchQueries } from "./observe/queries.ts";
import { createPages } from "./pages/pages.ts";
import type { Db } from "./query/db.ts";
import { newestBlock } from "./resolution/newestBlock.ts";
import { completedIndexesIn } from "./serviceDb/completedIndexes.ts";
import { keysIn } from "./serviceDb/keys.ts";
import { trimLedger } from "./serviceDb/ledger.ts";
import { liveAnswersIn } from "./serviceDb/liveAnswers.ts";
import { activityIn } from "./serviceDb/releases.ts";
import { signupsIn } from "./serviceDb/signups.ts";
import { openStore } from "./serviceDb/store.ts";
import { startUpkeep } from "./upkeep/upkeep.ts";

const db: Db = readonlyDb;
const settings = readSettings(process.env);
const { deployment, network } = settings;
const contracts = contractsOf(deployment);
const isPublicNetwork = network === "mainnet" || network === "sepolia";
const now = isPublicNetwork ? systemClock : chainClock(db);

const log = createLog();
const meters = createMeters();
const { $client: pool } = readonlyDb as unknown as { $client: Pool };
watchQueries(pool, { log, meters, slowMs: settings.slowQueryMs });

const store = openStore({ databaseUrl: settings.databaseUrl, schema: settings.serviceSchema });
const live = createLive({
  rpc: countedRpc(createRpc({ urls: settings.liveRpcUrls }), meters),
  gateways: countedGateways(createGateways({ allowLoopback: settings.loopbackGateways }), meters),
  answers: liveAnswersIn(store, contracts),
  contracts: liveContractsOf(deployment),
  observer: observeLive(meters),
});

/** A developer's chain has a clock of its own, by which no index is late. */
const liveBlock = async () =>
  newestBlock(
    { db, live },
    { chainId: contracts.chainId, clock: isPublicNetwork ? await systemClock() : null },
  );

const chainHead = createHeads(settings.rpcUrls);
const freshness = createFreshness({
  ...{ db, heads: chainHead, completed: completedIndexesIn(store), isActive: activityIn(store) },
  chainId: contracts.chainId,
  startBlocks: firstBlocksOf(deployment),
  maxLagSeconds: settings.maxLagSeconds,
  clock: isPublicNetwork ? () => Math.floor(Date.now() / 1_000) : null,
});
freshness.watch();

startInPlace("upkeep", () =>
  startUpkeep({
    ...{ databaseUrl: settings.databaseUrl, schema: settings.schema, now },
    isReady: async () => (await readIndexerState(db)).isReady,
    chores: async () => {
      if (settings.ledgerDays !== null) await trimLedger(store, settings.ledgerDays);
    },
    say: (line) => console.log(line),
  }),
);

const makeCtx = ({ answersWhileBuilding }: Pick<Endpoint, "answersWhileBuilding">): Promise<Ctx> =>
  retryOnLock(async () => {
    if (!answersWhileBuilding) await freshness.require();
    return { db, contracts, now: await now(), live, liveBlock, chainHead, freshness };
  });

/** The payment library takes half a second to load: only who takes payments has to wait for it. */
const payments = settings.payments
  ? (await import("./access/payment.ts")).createPayments(settings.payments, store)
  : null;

const keys = keysIn(store);
const limits = limitsIn(store);

const access: Access = settings.access === "open" ? openAccess : meteredAccess({ keys, limits, payments });

/** Where access is open nobody needs a key; where no public URL is set, none can be signed for. */
const isSignupOpen = settings.access === "metered" && settings.publicUrls.length > 0;
const signup = createSignup({
  ...{ keys, limits, limiter: signupLimiterIn(store), signups: signupsIn(store) },
  checkSignature: signatureCheck({ rpcUrls: settings.liveRpcUrls }),
  place: { publicUrls: settings.publicUrls, chainId: deployment.chainId },
});
const answers = operations.map(createConsistentRead(db));
const offered = isSignupOpen ? [...answers, ...signupEndpoints(signup)] : answers;

const pages = createPages(offered, () => makeCtx({ answersWhileBuilding: true }), {
  access: settings.access,
  offer: payments?.offer,
  meters,
});

export default createApp({
  operations: offered.map((operation) => observedOperation(operation, meters)),
  makeCtx,
  access: countedAccess(access, meters),
  observed: { meters, log, requestLog: settings.requestLog },
  callerOf: callerBehind(settings.trustedProxies),
  pages,
});
