import type { FailingBlock } from "../../../../engine/failures/failures.ts";
import { type ApiError, retryLater } from "../errors/errors.ts";
import { isDatabaseAway } from "../postgres/databaseErrors.ts";
import type { Db } from "../postgres/db.ts";
import { shared } from "../scheduling/shared.ts";
import type { CompletedIndexes } from "../serviceDb/completedIndexes.ts";
import type { SourceComparison } from "../serviceDb/sourceComparisons.ts";
import type { Verification } from "../serviceDb/verifications.ts";
import type { Head, Heads } from "./chainHead.ts";
import type { ReadFailingBlock } from "./failingBlock.ts";
import { type ChainProgress, type IndexerState, listProgress, readIndexerState } from "./progress.ts";
import { createProgressRate, type ProgressRate } from "./progressRate.ts";
import type { Standby } from "./standby.ts";

/** Why the index may not answer. */
export type Unfit = "building" | "catching_up" | "late" | "failing" | "false_source" | "no_database";

/** One chain of the index, and how far behind it is. */
export type ChainReport = {
  chainId: number;
  head: Head | null;
  indexed: ChainProgress;
  lagBlocks: number | null;
  lagSeconds: number | null;
  /** Null once every past event is indexed. */
  backfill: { percentage: number | null; secondsLeft: number | null } | null;
  /** Null if all its past logs came from the node. */
  comparison: SourceComparison | null;
};

export type IndexReport = {
  indexer: IndexerState;
  /** Whether the operator chose this index among several, so that readers are sent to it. */
  isActive: boolean;
  /** The last comparison with the chain; null before the first. */
  verification: Verification | null;
  /** Null if the index may answer. */
  unfit: Unfit | null;
  maxLagSeconds: number | null;
  /** The block that the indexer keeps retrying; otherwise null. */
  failing: FailingBlock | null;
  /** The registry's chain first; empty if the database does not answer and never did. */
  chains: ChainReport[];
  /** Without its answer all else is as it was last known. */
  isDatabaseAway: boolean;
  /** How far the standby that is read is behind its primary; null where the primary is read. */
  standby: Standby | null;
};

/** Whether the index may answer, and how far it is. */
export type Freshness = ReturnType<typeof createFreshness>;

export type FreshnessPlan = {
  db: Db;
  /** PostgreSQL schema of the tables. */
  schema: string;
  heads: Heads;
  completed: CompletedIndexes;
  /** Whether the index of this schema was chosen. */
  isActive: (schema: string) => Promise<boolean>;
  /** The block that the indexer of this schema tries again and again. */
  failingBlock: ReadFailingBlock;
  /** The last comparison of the index of this schema with the chain. */
  lastVerification: (schema: string) => Promise<Verification | null>;
  /** How much of what sources of logs said was compared with the node. */
  sourceComparisons: (schema: string) => Promise<readonly SourceComparison[]>;
  /** How far the standby that is read is behind its primary; null where the primary is read. */
  standby: () => Promise<Standby | null>;
  /** Chain id of the registry: its chain decides whether the index may answer. */
  chainId: number;
  /** The block before which each chain has nothing to index. */
  startBlocks: Readonly<Record<number, number>>;
  /** How old the newest indexed block may be. Null: the index must have reached the head since its indexer started. */
  maxLagSeconds: number | null;
  /** Unix seconds by which public chains make their blocks; null for development chains, which have their own time. */
  clock: (() => number) | null;
};

/**
 * How long "may answer" is remembered: a restarting indexer rolls its tables back, which is noticed this much later.
 * "May not answer" is never remembered, because the next request may find the index ready.
 */
const FIT_MS = 250;
const WATCH_MS = 5_000;

type State = {
  fitUntil: number;
  /** The start of the indexer after which its tables have reached the head. */
  reached: string | null;
  isNoted: boolean;
  rates: Map<number, ProgressRate>;
  last: IndexReport | null;
};

/** Judges one index. What it remembers only makes it quick: a new process comes to the same result. */
export function createFreshness(plan: FreshnessPlan) {
  const state: State = { fitUntil: 0, reached: null, isNoted: false, rates: new Map(), last: null };
  const look = async () => {
    const [indexer, chains] = await Promise.all([readIndexerState(plan.db), listProgress(plan.db)]);
    noteRates(state, chains);
    const [failing, comparisons] = await Promise.all([
      plan.failingBlock(indexer.schema),
      plan.sourceComparisons(indexer.schema),
    ]);
    return { indexer, chains, failing, comparisons };
  };
  const readReport = async (): Promise<IndexReport> => {
    const looked = await look();
    const { indexer, chains, failing, comparisons } = looked;
    const unfit = await judge(plan, state, looked);
    const own = chains.filter(({ chainId }) => chainId === plan.chainId);
    const others = chains.filter(({ chainId }) => chainId !== plan.chainId);
    const reports = await Promise.all(
      [...own, ...others].map((chain) => reportChain(plan, state, { chain, indexer, comparisons })),
    );
    return {
      indexer,
      isActive: await plan.isActive(indexer.schema),
      verification: await plan.lastVerification(indexer.schema),
      unfit,
      maxLagSeconds: plan.maxLagSeconds,
      failing,
      chains: reports,
      isDatabaseAway: false,
      standby: await plan.standby(),
    };
  };
  const report = async (): Promise<IndexReport> => {
    try {
      state.last = await readReport();
      return state.last;
    } catch (error) {
      if (isDatabaseAway(error)) return reportWithoutDatabase(plan, state);
      throw error;
    }
  };
  const requireFit = shared(async () => {
    if (state.fitUntil > Date.now()) return; // The look before was enough.
    const unfit = await judge(plan, state, await look());
    if (unfit !== null) throw refusal(await report());
    state.fitUntil = Date.now() + FIT_MS;
  });
  return {
    /** Always gives one: while the database does not answer, what was last known. Calls at the same time share one. */
    report: shared(report),
    /** @throws ApiError INDEX_NOT_READY while the index is not complete, or known to be behind its chain */
    require: async (): Promise<void> => {
      if (state.fitUntil <= Date.now()) await requireFit();
    },
    /** Measures the speed of a backfill until it is done, so that the first report already has an estimate. */
    watch: (): void => {
      const timer = setInterval(async () => {
        const { indexer } = await look().catch(() => ({ indexer: null }));
        if (indexer?.isReady) clearInterval(timer);
      }, WATCH_MS);
      timer.unref();
    },
  };
}

/** What was last known, with the newest blocks of today. */
async function reportWithoutDatabase(plan: FreshnessPlan, state: State): Promise<IndexReport> {
  const { schema, maxLagSeconds } = plan;
  const known = state.last?.indexer ?? { ...unknownIndexer, schema };
  const indexer = { ...known, isRunning: false };
  const chains = (state.last?.chains ?? []).map(({ indexed }) => indexed);
  const comparisons = (state.last?.chains ?? []).flatMap(({ comparison }) => comparison ?? []);
  return {
    indexer,
    maxLagSeconds,
    unfit: "no_database",
    failing: null,
    isDatabaseAway: true,
    standby: state.last?.standby ?? null,
    isActive: state.last?.isActive ?? false,
    verification: state.last?.verification ?? null,
    chains: await Promise.all(
      chains.map((chain) => reportChain(plan, state, { chain, indexer, comparisons })),
    ),
  };
}

/** Where the database never answered. */
const unknownIndexer = { buildId: "", tablesId: "", startId: "", isReady: false };

type Looked = {
  indexer: IndexerState;
  chains: ChainProgress[];
  failing: FailingBlock | null;
  comparisons: readonly SourceComparison[];
};

async function judge(plan: FreshnessPlan, state: State, looked: Looked): Promise<Unfit | null> {
  const { indexer, chains, failing, comparisons } = looked;
  if (comparisons.some(({ differingBlock }) => differingBlock !== null)) return "false_source";
  const chain = chains.find(({ chainId }) => chainId === plan.chainId);
  if (chain === undefined) return "building";
  if (indexer.isReady && failing !== null) return "failing";
  if (indexer.isReady) await noteComplete(plan, state, indexer);
  else if (!(await plan.completed.has(indexer).catch(() => false))) return "building";
  if (plan.maxLagSeconds === null) {
    return (await hasReachedHead(plan, state, { chain, indexer })) ? null : "catching_up";
  }
  const lag = lagSecondsOf(chain, { head: await headFor(plan, chain), clock: plan.clock });
  if (lag !== null && lag <= plan.maxLagSeconds) return null;
  return indexer.isReady ? "late" : "catching_up";
}

async function noteComplete(plan: FreshnessPlan, state: State, indexer: IndexerState): Promise<void> {
  if (state.isNoted) return;
  // Without this record a later process may refuse to answer from complete tables, but that is no reason to fail now.
  state.isNoted = await plan.completed.add(indexer).then(
    () => true,
    () => false,
  );
}

/**
 * After the head was reached once, a newer head does not matter: the index answers while it takes in many blocks, and
 * while a reorganisation takes some back. An indexer that starts again takes back much more, and has to reach it again.
 * What is remembered does not depend on the block that was seen: looks overlap, and an older one may end later.
 */
async function hasReachedHead(
  plan: FreshnessPlan,
  state: State,
  { chain, indexer }: { chain: ChainProgress; indexer: IndexerState },
): Promise<boolean> {
  if (!indexer.isReady) return false;
  if (state.reached === indexer.startId) return true;
  const head = await headFor(plan, chain);
  if (head !== null && chain.blockNumber < head.number) return false;
  state.reached = indexer.startId;
  return true;
}

/** A head of a moment ago is enough for "reached"; before "not reached" the node is asked again. */
async function headFor(plan: FreshnessPlan, chain: ChainProgress): Promise<Head | null> {
  if (plan.clock !== null) return null;
  const head = await plan.heads(chain.chainId);
  if (head === null || head.number <= chain.blockNumber) return head;
  return plan.heads(chain.chainId, { isFresh: true });
}

type Time = { head: Head | null; clock: FreshnessPlan["clock"] };

/** By the clock where blocks follow it: by the head of a stalled node the index would seem fresh. Null if unknown. */
function lagSecondsOf(chain: ChainProgress, { head, clock }: Time): number | null {
  const now = clock?.() ?? head?.timestamp;
  return now === undefined ? null : Math.max(0, now - chain.blockTimestamp);
}

function noteRates({ rates }: State, chains: ChainProgress[]): void {
  for (const { chainId, blockNumber } of chains) {
    const rate = rates.get(chainId) ?? createProgressRate();
    rates.set(chainId, rate);
    rate.note(blockNumber);
  }
}

async function reportChain(
  plan: FreshnessPlan,
  { rates }: State,
  { chain, indexer, comparisons }: Pick<Looked, "indexer" | "comparisons"> & { chain: ChainProgress },
): Promise<ChainReport> {
  const head = await plan.heads(chain.chainId);
  const target = head && Math.max(head.number, chain.blockNumber);
  const start = plan.startBlocks[chain.chainId] ?? 0;
  return {
    chainId: chain.chainId,
    head,
    indexed: chain,
    lagBlocks: target && target - chain.blockNumber,
    lagSeconds: lagSecondsOf(chain, { head, clock: plan.clock }),
    backfill: indexer.isReady
      ? null
      : {
          percentage: target && percentageOf(chain.blockNumber - start, target - start),
          secondsLeft: (target && rates.get(chain.chainId)?.secondsUntil(target)) ?? null,
        },
    comparison: comparisons.find(({ chainId }) => chainId === chain.chainId) ?? null,
  };
}

/** Rounded down, so that 100 means done. */
const percentageOf = (done: number, all: number): number =>
  all <= 0 ? 100 : Math.floor(Math.max(0, Math.min(1, done / all)) * 1_000) / 10;

/** An indexer that follows its chain writes a sign of life every 10 seconds. */
const STANDBY_LATE_SECONDS = 10;

/** Seconds after which a caller should try again. */
const RETRY_SECONDS = { least: 5, most: 600, unknown: 30 };

function refusal({ unfit, chains, indexer, standby }: IndexReport): ApiError {
  const [chain] = chains;
  const building = chain?.backfill?.secondsLeft ?? RETRY_SECONDS.unknown;
  const left = unfit === "building" ? building : unfit === "false_source" ? RETRY_SECONDS.most : 0;
  const retryAfter = Math.min(RETRY_SECONDS.most, Math.max(RETRY_SECONDS.least, left));
  const why = explain(unfit, chain, { ...indexer, standby });
  return retryLater("INDEX_NOT_READY", `${why} See /indexing-status.`, retryAfter);
}

type Writers = Pick<IndexerState, "isRunning"> & Pick<IndexReport, "standby">;

function explain(unfit: Unfit | null, chain: ChainReport | undefined, writers: Writers): string {
  if (unfit === "false_source") return "The index was built from false logs and has to be built again.";
  if (unfit === "building" || chain === undefined) {
    const done = chain?.backfill?.percentage;
    return `The index is still being built${typeof done === "number" ? ` (${done} %)` : ""}.`;
  }
  if (unfit === "no_database") return "The database does not respond at the moment.";
  if (unfit === "failing") return "The newest block could not be indexed and is being retried.";
  const behind =
    chain.lagSeconds === null ? "behind the chain" : `${chain.lagSeconds} seconds behind the chain`;
  return `The index is ${behind} and ${whyBehind(writers)}; stale answers are not returned.`;
}

/** A standby learns from what it replays whether the indexer runs: it says nothing of an indexer before it says how late itself is. */
function whyBehind({ isRunning, standby }: Writers): string {
  if (standby?.isPaused) return "is read from a standby whose replay is paused";
  const { lagSeconds = 0 } = standby ?? {};
  if (lagSeconds !== null && lagSeconds > STANDBY_LATE_SECONDS) {
    return `is read from a standby that is ${lagSeconds} seconds behind its primary`;
  }
  return isRunning ? "is catching up" : "waits for its indexer, which is not running";
}
