import { listWrittenBlocks } from "../../engine/ponderInternals.ts";
import { type OperatorAddress, operatorUrl } from "../../settings/metrics.ts";
import { askForHead } from "../../src/api/server/indexState/chainHead.ts";
import { withClient } from "../../src/api/server/postgres/client.ts";

/** What the watchdog sees of one chain. */
export type Sighting = { chain: string; indexed: number; head: number | null };

/** A chain whose index is stuck while the chain advances. */
export type Stall = { chain: string; indexed: number; head: number; seconds: number };

const INTERVAL_MS = 10_000;
const DATABASE_TIMEOUT_MS = 5_000;

export type WatchdogPlan = {
  databaseUrl: string;
  schema: string;
  rpcUrls: Readonly<Record<number, readonly string[]>>;
  /** Where the indexer's metrics are, which count the logs that it has handled. */
  metrics: OperatorAddress;
  /** How long an index may be stuck while its chain advances. */
  patienceSeconds: number;
  /** Called once, with what is stuck. */
  onStall: (stall: Stall) => void;
};

/**
 * Watches an indexer from outside: Ponder can stall silently, and `/health` still answers 200. Looks only at an index
 * whose past events are all indexed (one step of a backfill may take long), and compares it with the head that the
 * indexer's own nodes report. While no node answers, or the database does not, it reports no stall.
 *
 * @returns a function that stops the watch
 */
export function watchIndexer(plan: WatchdogPlan): () => void {
  const judge = createStallJudge(plan.patienceSeconds * 1_000);
  const startedAt = performance.now();
  const pause = Math.min(INTERVAL_MS, plan.patienceSeconds * 250);
  let timer = setTimeout(look, pause);
  async function look() {
    const [sightings, handled] = await Promise.all([
      readSightings(plan, startedAt).catch(() => []),
      countHandledLogs(plan.metrics).catch(() => null),
    ]);
    const stall = judge(sightings, handled);
    if (stall) plan.onStall(stall);
    else timer = setTimeout(look, pause);
  }
  return () => clearTimeout(timer);
}

/**
 * Finds a chain whose indexed block has not changed for `patienceMs` although its head was ahead. A chain that was not
 * seen in between starts at zero again: it may have gone on. So does one that handles the logs of a large block: logs are
 * handled while no chain gets to another block, because blocks of all chains take their turns.
 *
 * @param clock milliseconds since any fixed time
 */
export function createStallJudge(patienceMs: number, clock: () => number = () => performance.now()) {
  let since = new Map<string, { indexed: number; at: number }>();
  let handledBefore: number | null = null;
  /** `handled` counts the logs that the indexer has handled; null if it does not tell. */
  return (sightings: readonly Sighting[], handled: number | null = null): Stall | null => {
    const at = clock();
    const seen = new Map<string, { indexed: number; at: number }>();
    const isHandling = handled !== null && handledBefore !== null && handled > handledBefore;
    handledBefore = handled;
    const isWithinBlock =
      isHandling && sightings.every(({ chain, indexed }) => since.get(chain)?.indexed === indexed);
    for (const { chain, indexed, head } of sightings) {
      const known = since.get(chain);
      const stands = known?.indexed === indexed && head !== null && head > indexed && !isWithinBlock;
      seen.set(chain, stands ? known : { indexed, at });
      if (stands && at - known.at >= patienceMs) {
        return { chain, indexed, head, seconds: Math.round((at - known.at) / 1_000) };
      }
    }
    since = seen;
    return null;
  };
}

/** A stall in one line for the log. */
export const describeStall = ({ chain, indexed, head, seconds }: Stall): string =>
  `Watchdog: the index of ${chain} has been stuck at block ${indexed} for ${seconds} s while the chain advanced to ${head}. Exiting with code 75 so that the supervisor restarts the indexer.`;

async function readSightings(plan: WatchdogPlan, startedAt: number): Promise<Sighting[]> {
  const chains = await readCheckpoints(plan, startedAt);
  return Promise.all(
    chains.map(async ({ chainId, chainName, blockNumber }) => {
      const head = await askForHead(plan.rpcUrls[chainId] ?? []);
      return { chain: chainName, indexed: blockNumber, head: head?.number ?? null };
    }),
  );
}

/**
 * Returns nothing while the index is being built, and nothing about an earlier indexer: the tables are ours after our
 * first heartbeat.
 */
async function readCheckpoints({ databaseUrl, schema }: WatchdogPlan, startedAt: number) {
  const config = {
    connectionString: databaseUrl,
    connectionTimeoutMillis: DATABASE_TIMEOUT_MS,
    query_timeout: DATABASE_TIMEOUT_MS,
  };
  return withClient(config, (client) =>
    listWrittenBlocks(async (text) => (await client.query(text)).rows, {
      schema,
      withinMs: performance.now() - startedAt,
    }),
  );
}

const METRICS_TIMEOUT_MS = 5_000;

/** How many logs the indexer has handled since its start, by its own metrics. */
async function countHandledLogs(metrics: OperatorAddress): Promise<number> {
  const signal = AbortSignal.timeout(METRICS_TIMEOUT_MS);
  const text = await (await fetch(`${operatorUrl(metrics)}/metrics`, { signal })).text();
  const counts = text.matchAll(/^ponder_indexing_completed_events\{.*\} (\d+)$/gm);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}
