import { setTimeout as sleep } from "node:timers/promises";
import { Client, Pool } from "undici";
import { z } from "zod";
import type { GatewaySettings } from "../../settings/gateway.ts";

/** Whether an indexer gets requests, and if not, why. Only `synced` ones do. */
export type State = "unknown" | "unreachable" | "not_ready" | "lagging" | "other_network" | "synced";

/** One indexer or replica behind the gateway. */
export type Indexer = {
  url: string;
  /** Path of its base address; requests are appended to it. */
  prefix: string;
  pool: Pool;
  /** Connections of streams, which last: answers must not wait for one of them. */
  streams: Pool;
  /** A separate connection that asks for its state: it must not wait behind answers. */
  line: Client;
  /** Requests that it is answering now. */
  inFlight: number;
  state: State;
  /** The state in words. */
  why: string;
  /** When it last refused a request, in milliseconds; 0 if never, or if it was asked for its state since. */
  restingSince: number;
  /** Its last status; null while it cannot be asked. */
  claim: IndexerStatus | null;
  /** Its block when it was last ready, and when that was, in milliseconds. */
  reached: Reached | null;
  /** When it last began an answer to a caller, in milliseconds. */
  answeredAt: number;
  /** Since when a request for its state is unanswered; null if none is. */
  askedAt: number | null;
};

type Reached = { block: number; network: string; at: number };

/** The part of `/indexing-status` that the gateway uses. */
const claimShape = z.object({
  ready: z.boolean(),
  reason: z.string().nullable(),
  network: z.string(),
  active: z.boolean().default(false),
  /** An indexer of an earlier version says neither. */
  database: z.enum(["reachable", "unreachable"]).default("reachable"),
  running: z.boolean().default(true),
  chains: z.array(
    z.object({
      indexed_block_number: z.int().min(0),
      lag_seconds: z.int().min(0).nullable(),
      head_block_number: z.int().min(0).nullable().default(0),
    }),
  ),
});
export type IndexerStatus = z.output<typeof claimShape>;

const POLL_MS = 1_000;
/** An indexer that answers nothing for this long, neither its state nor a caller, is away. It waits two seconds for its own nodes. */
const SILENCE_MS = 3_000;
const SILENCE_CHECK_MS = 250;
const CONNECT_TIMEOUT_MS = 2_000;
/** As many as one process of the API has (`src/api/features/feed/stream/places.ts`). */
const MOST_STREAMS = 2_000;
const MAX_STATUS_BYTES = 262_144;

/** The indexers, watched. */
export type Indexers = {
  all: readonly Indexer[];
  /** Marks an indexer that did not answer or refused: it gets no request until it was asked for its state again. */
  rest: (indexer: Indexer, state: "unreachable" | "not_ready", why: string) => void;
  stop: () => Promise<void>;
};

type Plan = GatewaySettings & { onChange: (indexer: Indexer, before: State) => void };

/** Asks every indexer for its state each second. Resolves when each was asked once. */
export async function watchIndexers(plan: Plan): Promise<Indexers> {
  const all = plan.indexers.map((url) => createIndexer(url, plan));
  const known: KnownNetwork = { network: null };
  const set = (indexer: Indexer, state: State, why: string) => {
    const before = indexer.state;
    indexer.state = state;
    indexer.why = why;
    if (before !== state) plan.onChange(indexer, before);
  };
  const judgeAll = () => {
    for (const indexer of all) {
      if (indexer.restingSince === 0) set(indexer, ...judge(indexer, { all, known, plan }));
    }
  };
  await Promise.all(all.map((indexer) => askForClaim(indexer, plan)));
  judgeAll();
  const stopping = new AbortController();
  const pause = () => sleep(POLL_MS, undefined, { signal: stopping.signal });
  /** Each one separately: a slow status of one does not delay the others. */
  const follow = async (indexer: Indexer) => {
    for (;;) {
      await pause();
      await askForClaim(indexer, plan);
      if (stopping.signal.aborted) return;
      judgeAll();
    }
  };
  for (const indexer of all) follow(indexer).catch(() => {}); // The pause rejects when we stop.
  const timer = setInterval(judgeAll, POLL_MS); // The last known states grow old meanwhile.
  return {
    all,
    rest: (indexer, state, why) => {
      indexer.restingSince = Date.now();
      set(indexer, state, why);
    },
    stop: async () => {
      clearInterval(timer);
      stopping.abort();
      await Promise.all(
        all.flatMap(({ pool, streams, line }) => [pool.destroy(), streams.destroy(), line.destroy()]),
      );
    },
  };
}

function createIndexer(url: string, { timeoutSeconds, maxRequests }: Plan): Indexer {
  const { origin, pathname } = new URL(url);
  const connection = {
    connect: { timeout: CONNECT_TIMEOUT_MS },
    headersTimeout: timeoutSeconds * 1_000,
    bodyTimeout: timeoutSeconds * 1_000,
  };
  return {
    url,
    prefix: pathname.replace(/\/$/, ""),
    pool: new Pool(origin, { ...connection, connections: maxRequests }),
    streams: new Pool(origin, { ...connection, connections: MOST_STREAMS }),
    line: new Client(origin, connection),
    inFlight: 0,
    state: "unknown",
    why: "not asked yet",
    restingSince: 0,
    claim: null,
    reached: null,
    answeredAt: 0,
    askedAt: null,
  };
}

/**
 * Asks an indexer for its state. One that answers callers has as long as for any other answer, however busy it is. One
 * that answers no caller is given up after a few seconds.
 */
async function askForClaim(indexer: Indexer, { timeoutSeconds }: Plan): Promise<void> {
  const asked = Date.now();
  indexer.askedAt = asked;
  const hearing = new AbortController();
  let heard = indexer.answeredAt;
  let silentChecks = 0;
  const check = setInterval(() => {
    // Counted in checks, not in time: a pause of this process says nothing about the indexer.
    silentChecks = indexer.answeredAt === heard ? silentChecks + 1 : 0;
    heard = indexer.answeredAt;
    if (silentChecks * SILENCE_CHECK_MS >= SILENCE_MS) hearing.abort(new Silence(SILENCE_MS));
    if (Date.now() - asked >= timeoutSeconds * 1_000) hearing.abort(new Silence(timeoutSeconds * 1_000));
  }, SILENCE_CHECK_MS);
  try {
    const claim = await readClaim(indexer, hearing.signal);
    indexer.claim = claim;
    if (claim.ready) indexer.reached = { block: blockOf(claim), network: claim.network, at: Date.now() };
  } catch (error) {
    indexer.claim = null;
    indexer.why = reasonOf(error as Error);
  } finally {
    clearInterval(check);
    indexer.askedAt = null;
    // A status requested before the refusal may be older than the refusal.
    if (asked > indexer.restingSince) indexer.restingSince = 0;
  }
}

async function readClaim({ line, prefix }: Indexer, signal: AbortSignal): Promise<IndexerStatus> {
  const path = `${prefix}/indexing-status`;
  const { statusCode, body } = await line.request({ method: "GET", path, signal });
  let text = "";
  for await (const chunk of body.setEncoding("utf8")) {
    text += chunk;
    if (text.length > MAX_STATUS_BYTES) throw new Error("its status is too large");
  }
  if (statusCode !== 200) throw new Error(`/indexing-status answered ${statusCode}`);
  return claimShape.parse(JSON.parse(text));
}

/** Whether it answered a caller in the last seconds. */
export const isAnswering = ({ answeredAt }: Indexer): boolean => Date.now() - answeredAt < SILENCE_MS;

class Silence extends Error {
  override name = "Silence";
  constructor(milliseconds: number) {
    super(`did not report its state within ${milliseconds / 1_000} s`);
  }
}

function reasonOf({ name, message }: Error): string {
  if (name === "ZodError" || name === "SyntaxError") return "/indexing-status is not from an indexer";
  return message || name;
}

type KnownNetwork = { network: string | null };

/** An indexer whose node stalls reports no lag, so its block is also compared with those of the others. */
function judge(
  { claim, why, askedAt }: Indexer,
  { all, known, plan }: { all: Indexer[]; known: KnownNetwork; plan: Plan },
): [State, string] {
  if (claim === null) return ["unreachable", why];
  known.network ??= all.find((indexer) => indexer.claim !== null)?.claim?.network ?? null;
  if (claim.network !== known.network)
    return ["other_network", `indexes ${claim.network}, not ${known.network}`];
  if (!claim.ready) {
    const down = partsDown(claim);
    const why = `not ready: ${claim.reason}`;
    return ["not_ready", down.length === 0 ? why : `${why}; down: ${down.join(", ")}`];
  }
  if (claim.chains.length === 0) return ["unreachable", "/indexing-status is not from an indexer"];
  // It may have stood still since it was last asked for its state.
  const unheard = askedAt === null ? 0 : Math.floor((Date.now() - askedAt) / 1_000);
  const lag = (claim.chains[0]?.lag_seconds ?? 0) + unheard;
  if (lag > plan.maxLagSeconds) return ["lagging", `${lag} seconds behind its chain`];
  const behind = furthestBlock(all, { known, plan }) - blockOf(claim);
  if (behind > plan.maxLagBlocks) return ["lagging", `${behind} blocks behind the most current indexer`];
  return ["synced", `at block ${blockOf(claim)}`];
}

/** The index that an indexer or replica reads. */
export const parts = ["process", "database", "indexer", "node"] as const;
export type Part = (typeof parts)[number];

/** What of that does not work, by its own status. Without a database no one knows of the indexer. */
export function partsDown(claim: IndexerStatus | null): Part[] {
  if (claim === null) return ["process"];
  if (claim.database === "unreachable") return ["database"];
  return [
    ...(claim.running ? [] : (["indexer"] as const)),
    ...(claim.chains[0]?.head_block_number === null ? (["node"] as const) : []),
  ];
}

const blockOf = (claim: IndexerStatus): number => claim.chains[0]?.indexed_block_number ?? 0;

/**
 * The highest block of all ready indexers. Not of one that is still building or of another chain. The block of one that
 * went away counts until the lag of the others shows that they are behind: callers have seen that block.
 */
function furthestBlock(all: Indexer[], { known, plan }: { known: KnownNetwork; plan: Plan }): number {
  const since = Date.now() - plan.maxLagSeconds * 1_000;
  const seen = all.flatMap(({ reached }) =>
    reached && reached.network === known.network && reached.at >= since ? [reached.block] : [],
  );
  return Math.max(0, ...seen);
}

/**
 * The least busy indexer that is synced, has room and was not tried. Indexers of the chosen index come first; any other
 * one is better than no answer.
 */
export function chooseIndexer(
  all: readonly Indexer[],
  { tried, maxRequests }: { tried: ReadonlySet<Indexer>; maxRequests: number },
): Indexer | null {
  const fit = all.filter(
    (indexer) => indexer.state === "synced" && indexer.inFlight < maxRequests && !tried.has(indexer),
  );
  const active = fit.filter(({ claim }) => claim?.active);
  const wanted = active.length > 0 ? active : fit;
  const least = Math.min(...wanted.map(({ inFlight }) => inFlight));
  const idle = wanted.filter(({ inFlight }) => inFlight === least);
  return idle[Math.floor(Math.random() * idle.length)] ?? null;
}
