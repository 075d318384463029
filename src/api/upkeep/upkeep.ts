import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { workerName } from "../../../engine/ponderInternals.ts";
import { advanceDays } from "../names/counts/dayCounts.ts";
import {
  advanceCounters,
  type CountsTarget,
  countedTerms,
  createCounters,
  hasCounters,
  mayCreateCounters,
} from "../names/counts/maintain.ts";
import type { Scope } from "../names/query/scope.ts";
import { pairLocks } from "../server/postgres/advisoryLocks.ts";
import { queriesOf, withClient } from "../server/postgres/client.ts";
import { messageOf } from "../server/postgres/databaseErrors.ts";
import { takeLock } from "../server/postgres/lockedWork.ts";
import { workInTurns } from "../server/scheduling/repeated.ts";
import { buildIndexes } from "./build.ts";

/** What upkeep needs. */
export type UpkeepPlan = {
  databaseUrl: string;
  /** Schema of the index. */
  schema: string;
  /** True once every past event is indexed. Before that, upkeep would slow the indexer down. */
  isReady: () => Promise<boolean>;
  /** Called in each round once that is so. */
  whenReady?: () => Promise<void>;
  /** The time, in unix seconds. */
  now: () => Promise<number>;
  /** Each chain whose names are indexed, the main one first. */
  chains: readonly Scope[];
  /** The time that no reorganisation of a chain reaches back to, in unix seconds. */
  finalTime: (chainId: number) => Promise<number>;
  /** Other work to do in each round, by one process. */
  chores: () => Promise<void>;
  log: (line: string) => void;
};

/** Time between two rounds. */
const ROUND_MS = 30_000;
/** Time to the next round while something is not ready yet. */
const SOON_MS = 2_000;

/**
 * Builds the large indexes and keeps the counters. Every process of the API tries this, and a lock lets one do it at a
 * time. After a failure the next round tries again.
 */
export function startUpkeep(plan: UpkeepPlan): { stop: () => Promise<void> } {
  const startedAt = Date.now();
  return workInTurns({
    pauseMs: ROUND_MS,
    onError: (error) => plan.log(`Index upkeep failed and will be retried: ${messageOf(error)}`),
    turn: async (ended) => {
      while (!ended.aborted && !(await doRound(plan, startedAt)))
        await sleep(SOON_MS, undefined, { ref: false, signal: ended }).catch(() => {}); // It ends early if stopped.
    },
  });
}

/** One round of a program that started at a time, in unix milliseconds; false if something is not ready yet. */
export async function doRound(plan: UpkeepPlan, startedAt: number): Promise<boolean> {
  if (!(await plan.isReady())) return false;
  await plan.whenReady?.();
  const config = { connectionString: plan.databaseUrl, application_name: workerName(plan.schema, "upkeep") };
  return withClient(config, async (client) => {
    if (!(await mayMaintain(client, plan.schema))) return true;
    // The building of indexes waits for all other sessions: one that waited for the lock would block it.
    if (!(await takeLock(queriesOf(client), [pairLocks.upkeep, plan.schema]))) return true;
    const isDone = await maintain(client, plan, startedAt);
    await plan.chores();
    return isDone;
  });
}

/**
 * False if the API has a role that only reads the index, or reads it from a standby: then the API in the indexer's process does the
 * upkeep.
 */
async function mayMaintain(client: pg.Client, schema: string): Promise<boolean> {
  const { rows } = await client.query<{ may: boolean | null }>(
    "select not pg_is_in_recovery() and pg_has_role(relowner, 'usage') as may from pg_class where oid = to_regclass($1)",
    [`"${schema}".domains`],
  );
  return rows[0]?.may ?? false;
}

async function maintain(client: pg.Client, plan: UpkeepPlan, startedAt: number): Promise<boolean> {
  const { schema, chains, finalTime, log } = plan;
  await client.query("set jit = off");
  await buildIndexes({ client, schema, log });
  const ensv2 = chains[0] && countedTerms(chains[0]);
  const target = { client, schema: `"${schema}"`, ensv2, startedAt };
  const isCounted = await countNames(target, plan);
  const ids = chains.map((chain) => chain.ids[0] as number);
  // Dollars of a day on a layer 2 need the answers of the main chain's price feed until then.
  const feedTime = await finalTime(ids[0] as number);
  for (const [i, chain] of chains.entries())
    await advanceDays(target, chain, Math.min(feedTime, await finalTime(ids[i] as number)));
  return isCounted;
}

/** False if the tables were in use. */
async function countNames(target: CountsTarget, { now, log }: UpkeepPlan): Promise<boolean> {
  if (await hasCounters(target)) {
    await advanceCounters(target, await now());
    return true;
  }
  if (!(await mayCreateCounters(target))) return true;
  const started = performance.now();
  if (!(await createCounters(target, await now()))) return false;
  const seconds = Math.round((performance.now() - started) / 1_000);
  log(`Counted all names in ${seconds} s. Changes are now counted as they happen.`);
  return true;
}
