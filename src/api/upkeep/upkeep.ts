import type pg from "pg";
import { advanceCounters, createCounters, hasCounters } from "../counts/maintain.ts";
import { withClient } from "../serviceDb/client.ts";
import { buildIndexes } from "./build.ts";

/** What to look after, and how. */
export type UpkeepPlan = {
  databaseUrl: string;
  /** Schema of the index. */
  schema: string;
  /** True once every past event is indexed: before, the indexer is better left alone. */
  isReady: () => Promise<boolean>;
  /** The time, in unix seconds. */
  now: () => Promise<number>;
  /** What else is to be done now and then, by one process. */
  chores: () => Promise<void>;
  say: (line: string) => void;
};

/** How often to look after what is there. */
const ROUND_MS = 30_000;
/** How soon to look again while something is still to be waited for. */
const SOON_MS = 2_000;
/** Any number that nobody else uses; with the schema's it makes the lock of one index. */
const LOCK = 626_392;

/**
 * Looks after what the index has besides its own tables: the large indexes and the counts. Every process of the API
 * does, whichever comes first; a lock lets one at a time. What fails is tried again in the next round.
 */
export function startUpkeep(plan: UpkeepPlan): { stop: () => Promise<void> } {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  let isStopped = false;
  const round = () => {
    running = doRound(plan)
      .catch((error: Error) => {
        plan.say(`Upkeep of the index failed, and will be tried again: ${error.message}`);
        return true;
      })
      .then((isDone) => schedule(isDone ? ROUND_MS : SOON_MS));
  };
  const schedule = (after: number) => {
    if (!isStopped) timer = setTimeout(round, after).unref();
  };
  schedule(0);
  return {
    stop: async () => {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}

/** One look at everything; false if something has to be waited for. */
async function doRound(plan: UpkeepPlan): Promise<boolean> {
  if (!(await plan.isReady())) return false;
  const config = { connectionString: plan.databaseUrl, application_name: `${plan.schema}_upkeep` };
  return withClient(config, async (client) => {
    if (!(await mayBuild(client, plan.schema))) return true;
    if (!(await takeLock(client, plan.schema))) return true;
    const isDone = await keepUp(client, plan);
    await plan.chores();
    return isDone;
  });
}

/** Where the API has a role of its own, which only reads the index, the API of the indexer's process does all this. */
async function mayBuild(client: pg.Client, schema: string): Promise<boolean> {
  const { rows } = await client.query<{ may: boolean | null }>(
    "select pg_has_role(relowner, 'usage') as may from pg_class where oid = to_regclass($1)",
    [`"${schema}".domains`],
  );
  return rows[0]?.may ?? false;
}

/** Not waited for: a session that waits holds up the building of indexes, which waits for all others. */
async function takeLock(client: pg.Client, schema: string): Promise<boolean> {
  const { rows } = await client.query<{ taken: boolean }>(
    "select pg_try_advisory_lock($1, hashtext($2)) as taken",
    [LOCK, schema],
  );
  return rows[0]?.taken ?? false;
}

async function keepUp(client: pg.Client, { schema, now, say }: UpkeepPlan): Promise<boolean> {
  await client.query("set jit = off");
  await buildIndexes({ client, schema, say });
  const place = { client, schema: `"${schema}"` };
  if (await hasCounters(place)) {
    await advanceCounters(place, await now());
    return true;
  }
  const started = performance.now();
  if (!(await createCounters(place, await now()))) return false;
  const seconds = Math.round((performance.now() - started) / 1_000);
  say(`Counted all names in ${seconds} s; from now on they are counted as they change.`);
  return true;
}
