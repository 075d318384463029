import { contractsOf, firstBlocksOf } from "../../../abis/contracts.ts";
import { endBackfillMemory } from "../../../engine/backfillMemory.ts";
import type { FailingBlock } from "../../../engine/failures/failures.ts";
import { sendConsoleTo } from "../../../ops/log/console.ts";
import type { Settings } from "../../../settings/settings.ts";
import { comparisonSetting } from "../names/comparison/listChecks.ts";
import { signupEndpoints } from "../names/endpoints/signupEndpoints.ts";
import { oneChain } from "../names/query/scope.ts";
import { newestBlock } from "../names/resolution/chain.ts";
import { parseName } from "../names/schemas/input.ts";
import type { Access, Caller } from "../server/access/access.ts";
import { callerBehind, originFor, shareOf } from "../server/access/caller.ts";
import { createAccess } from "../server/access/createAccess.ts";
import { startInPlace } from "../server/hotReload.ts";
import type { Ctx } from "../server/http/context.ts";
import type { Endpoint } from "../server/http/endpoint.ts";
import { createPipeline } from "../server/http/pipeline.ts";
import { createHeads } from "../server/indexState/chainHead.ts";
import { chainClock, systemClock, systemSeconds } from "../server/indexState/clock.ts";
import { createConsistentRead, createStateReader } from "../server/indexState/consistentRead.ts";
import { failingBlockOf, noteFailingBlock } from "../server/indexState/failingBlock.ts";
import { followJournal } from "../server/indexState/followJournal.ts";
import { createFreshness } from "../server/indexState/freshness.ts";
import { prepareIndexPool } from "../server/indexState/indexPool.ts";
import { readTablesState } from "../server/indexState/position.ts";
import { listProgress, readIndexerState } from "../server/indexState/progress.ts";
import { readStandby, readWritten } from "../server/indexState/standby.ts";
import { countedAccess } from "../server/observe/access.ts";
import { observeComparisons } from "../server/observe/comparisons.ts";
import { createLog } from "../server/observe/log.ts";
import { createMeters } from "../server/observe/meters.ts";
import { observeOperations } from "../server/observe/operations.ts";
import { watchQueries } from "../server/observe/queries.ts";
import type { Db } from "../server/postgres/db.ts";
import { poolOf, requireDrizzle } from "../server/postgres/drizzleInternals.ts";
import { lastKnown } from "../server/scheduling/lastKnown.ts";
import { completedIndexesIn } from "../server/serviceDb/completedIndexes.ts";
import { failingBlocksIn } from "../server/serviceDb/failingBlocks.ts";
import { trimLedger } from "../server/serviceDb/keys.ts";
import { provenLabelsIn } from "../server/serviceDb/provenLabels.ts";
import { readRelease } from "../server/serviceDb/releases.ts";
import { listSourceComparisons } from "../server/serviceDb/sourceComparisons.ts";
import { openStore } from "../server/serviceDb/store.ts";
import { readVerification, type Verification } from "../server/serviceDb/verifications.ts";
import { startUpkeep } from "../upkeep/upkeep.ts";
import { createChains, OWN_SHARE } from "./chains.ts";
import { startLabels } from "./labels.ts";
import { startTransactions } from "./transactions.ts";

/** What a process of the API has once, and gives to its operations and features by name. */
export type Core = Awaited<ReturnType<typeof createCore>>;

/** For reads of the service's own tables: a standby answers while they are away, and does not wait for them. */
export const soon = { withinMs: 1_000, first: null } as const;

/**
 * Opens the databases, the chains and the pipeline of requests, and starts the core's background work.
 *
 * @param db the index, which is only read
 */
export async function createCore(settings: Settings, db: Db) {
  requireDrizzle(db);
  parseName("eth"); // Unpacks the tables of normalisation, which takes long: not at the first request.
  const { deployment, network, databaseUrl, schema, publicUrls } = settings;
  const contracts = contractsOf(deployment);
  const { chainId } = contracts;
  const store = openStore({ databaseUrl: settings.serviceDatabaseUrls, schema: settings.serviceSchema });

  const log = createLog();
  // Ponder prints for people through the console, unless its log is JSON.
  if (process.argv.includes("--log-format")) sendConsoleTo(log);
  const meters = createMeters();
  const pool = poolOf(db);
  watchQueries(pool, { log, meters, slowMs: settings.slowQueryMs });
  prepareIndexPool(pool);

  // Public chains make their blocks by the computer's clock; a development chain has a clock of its own.
  const blockClock = network === "mainnet" || network === "sepolia" ? systemSeconds : null;
  const now = blockClock === null ? chainClock(db) : systemClock;
  const chains = createChains({ settings, contracts, store, meters });
  const chainHead = createHeads(settings.rpcUrls);

  const lastVerification = lastKnown<string, Verification | null>((of) => readVerification(store, of), soon);
  const failingBlocks = failingBlocksIn(store);
  const failingBlock = lastKnown<string, FailingBlock | null>(failingBlockOf(failingBlocks), soon);
  const freshness = createFreshness({
    db,
    heads: chainHead,
    completed: completedIndexesIn(store),
    isActive: lastKnown(async (of: string) => (await readRelease(store)).active === of, {
      ...soon,
      first: false,
    }),
    lastVerification,
    failingBlock,
    // Every request looks at this; a comparison takes hours.
    sourceComparisons: lastKnown((ofSchema: string) => listSourceComparisons(store, ofSchema), {
      ...soon,
      first: [],
      keptMs: 1_000,
    }),
    standby: () => readStandby(db, () => readWritten(store)),
    chainId,
    startBlocks: firstBlocksOf(deployment),
    clock: blockClock,
    schema,
    maxLagSeconds: settings.maxLagSeconds,
  });
  const states = createStateReader(() => readTablesState(db));

  const { access: chosenAccess, payments, signup } = await createAccess(settings, store, chainId);
  const access: Access = countedAccess(chosenAccess, meters);

  const comparison = { setting: comparisonSetting(deployment), note: observeComparisons({ meters, log }) };
  const provenLabels = provenLabelsIn(store);
  /** A name's page of the explorer, or its JSON. */
  const namesAt = (origin: string | null) =>
    origin && `${origin}/${settings.hasExplorer ? "explore/name" : "whois"}/`;
  /** Answers that need no index work without its database too: the computer's clock is accurate enough for them. */
  const timeFor = (operation?: Endpoint): Promise<number> =>
    operation !== undefined && operation.index === undefined ? now() : now().catch(() => systemSeconds());
  const createContext = async (caller?: Caller, operation?: Endpoint): Promise<Ctx> => {
    // What is free is answered before any key is checked.
    const mode = operation?.cost === 0 ? "open" : settings.access;
    const live = chains.liveFor(caller ? shareOf(caller, mode) : OWN_SHARE);
    return {
      db,
      contracts,
      liveBlock: () =>
        newestBlock({ db, live: chains.liveFor(OWN_SHARE) }, { chainId, clock: blockClock?.() ?? null }),
      prices: chains.prices,
      provenLabels,
      chainHead,
      freshness,
      comparison,
      now: await timeFor(operation),
      namesAt: namesAt(originFor(caller, publicUrls)),
      live,
    };
  };

  freshness.watch();
  startInPlace("failing block", () => noteFailingBlock(failingBlocks, schema));
  startInPlace("journal", () => followJournal({ databaseUrl, schema, readState: states.read }));
  startLabels({ settings, contracts, db, store });
  startTransactions({ settings, db });
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
      chores: async () => (settings.ledgerDays === null ? undefined : trimLedger(store, settings.ledgerDays)),
      log: (line) => console.log(line),
    }),
  );

  return {
    settings,
    db,
    store,
    contracts,
    chains,
    freshness,
    lastVerification,
    access,
    log,
    meters,
    createContext,
    /** The price of an operation in payments; undefined where they are not accepted. */
    priceOf: payments?.offer,
    /** Operations of sign-up; none where it is closed. */
    signupOperations: signup === null ? [] : signupEndpoints(signup),
    server: {
      executeOperation: createPipeline({
        createContext,
        requireReadyIndex: freshness.require,
        access,
        observe: observeOperations(meters),
        readConsistently: createConsistentRead(db, states),
      }),
      callerOf: callerBehind(settings.trustedProxies),
      countRequests: access.count,
      compresses: settings.compresses,
    },
    /** In whose share a caller's request counts: by its key where keys are checked first, else by its network. */
    shareOf: (caller: Caller) => shareOf(caller, settings.access),
  };
}
