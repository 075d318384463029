import { Pool } from "undici";
import { z } from "zod";
import type { Settings } from "./settings.ts";

/** Whether an indexer is asked, and if not, why. Only `synced` ones are. */
export type State = "unknown" | "unreachable" | "not_ready" | "lagging" | "other_network" | "synced";

/** One indexer or replica behind the gateway. */
export type Indexer = {
  url: string;
  /** Path of its base address; requests are appended to it. */
  prefix: string;
  pool: Pool;
  /** Requests that it is answering now. */
  inFlight: number;
  state: State;
  /** The state in words. */
  why: string;
  /** What it said of itself last; null while it cannot be asked. */
  claim: Claim | null;
  /** How far it was when it last said that it may answer, and when that was, in milliseconds. */
  reached: Reached | null;
};

type Reached = { block: number; network: string; at: number };

/** What of `/indexing-status` counts here. */
const claimShape = z.object({
  ready: z.boolean(),
  reason: z.string().nullable(),
  network: z.string(),
  active: z.boolean().default(false),
  chains: z
    .array(z.object({ indexed_block_number: z.int().min(0), lag_seconds: z.int().min(0).nullable() }))
    .min(1),
});
export type Claim = z.output<typeof claimShape>;

const POLL_MS = 1_000;
const POLL_TIMEOUT_MS = 2_000;
const CONNECT_TIMEOUT_MS = 2_000;
const MAX_STATUS_BYTES = 262_144;

/** The indexers, watched. */
export type Indexers = {
  all: readonly Indexer[];
  /** Says that an indexer did not answer, or said that it may not: it rests until it is asked for its state again. */
  rest: (indexer: Indexer, state: "unreachable" | "not_ready", why: string) => void;
  stop: () => Promise<void>;
};

type Plan = Settings & { onChange: (indexer: Indexer, before: State) => void };

/** Asks every indexer for its state each second, and gives them when each was asked once. */
export async function watchIndexers(plan: Plan): Promise<Indexers> {
  const all = plan.indexers.map((url) => createIndexer(url, plan));
  const known: Known = { network: null };
  const set = (indexer: Indexer, state: State, why: string) => {
    const before = indexer.state;
    indexer.state = state;
    indexer.why = why;
    if (before !== state) plan.onChange(indexer, before);
  };
  const look = async () => {
    await Promise.all(all.map(askForClaim));
    for (const indexer of all) set(indexer, ...judge(indexer, { all, known, plan }));
  };
  await look();
  let timer = setTimeout(again, POLL_MS);
  async function again() {
    await look();
    timer = setTimeout(again, POLL_MS);
  }
  return {
    all,
    rest: (indexer, state, why) => set(indexer, state, why),
    stop: async () => {
      clearTimeout(timer);
      await Promise.all(all.map(({ pool }) => pool.destroy()));
    },
  };
}

function createIndexer(url: string, { timeoutSeconds, maxRequests }: Plan): Indexer {
  const { origin, pathname } = new URL(url);
  const pool = new Pool(origin, {
    connections: maxRequests + 1, // One for the question of its state, which must not wait for answers.
    connect: { timeout: CONNECT_TIMEOUT_MS },
    headersTimeout: timeoutSeconds * 1_000,
    bodyTimeout: timeoutSeconds * 1_000,
  });
  const prefix = pathname.replace(/\/$/, "");
  return {
    url,
    prefix,
    pool,
    inFlight: 0,
    state: "unknown",
    why: "not asked yet",
    claim: null,
    reached: null,
  };
}

async function askForClaim(indexer: Indexer): Promise<void> {
  try {
    const { statusCode, body } = await indexer.pool.request({
      method: "GET",
      path: `${indexer.prefix}/indexing-status`,
      signal: AbortSignal.timeout(POLL_TIMEOUT_MS),
    });
    let text = "";
    for await (const chunk of body.setEncoding("utf8")) {
      text += chunk;
      if (text.length > MAX_STATUS_BYTES) throw new Error("its status is endless");
    }
    if (statusCode !== 200) throw new Error(`/indexing-status answered ${statusCode}`);
    const claim = claimShape.parse(JSON.parse(text));
    indexer.claim = claim;
    if (claim.ready) indexer.reached = { block: blockOf(claim), network: claim.network, at: Date.now() };
  } catch (error) {
    indexer.claim = null;
    indexer.why = reasonOf(error as Error);
  }
}

function reasonOf({ name, message }: Error & { code?: string }): string {
  if (name === "TimeoutError") return `no answer within ${POLL_TIMEOUT_MS / 1_000} s`;
  if (name === "ZodError" || name === "SyntaxError") return "/indexing-status is not that of an indexer";
  return message || name;
}

type Known = { network: string | null };

/**
 * What an indexer says of its own head counts against it only: one whose node stands still calls itself fresh, so that
 * what the others have indexed is held against it too.
 */
function judge(
  { claim, why }: Indexer,
  { all, known, plan }: { all: Indexer[]; known: Known; plan: Plan },
): [State, string] {
  if (claim === null) return ["unreachable", why];
  known.network ??= all.find((indexer) => indexer.claim !== null)?.claim?.network ?? null;
  if (claim.network !== known.network)
    return ["other_network", `indexes ${claim.network}, not ${known.network}`];
  if (!claim.ready) return ["not_ready", `says it is not ready: ${claim.reason}`];
  const lag = claim.chains[0]?.lag_seconds ?? 0;
  if (lag > plan.maxLagSeconds) return ["lagging", `${lag} seconds behind its chain`];
  const behind = furthestBlock(all, { known, plan }) - blockOf(claim);
  if (behind > plan.maxLagBlocks) return ["lagging", `${behind} blocks behind the furthest indexer`];
  return ["synced", `at block ${blockOf(claim)}`];
}

const blockOf = (claim: Claim): number => claim.chains[0]?.indexed_block_number ?? 0;

/**
 * Of those that may answer: an indexer that is being built anew, or of another chain, is no measure. How far one was
 * that died counts until the age of their blocks alone tells of the others that they are behind: callers have seen it.
 */
function furthestBlock(all: Indexer[], { known, plan }: { known: Known; plan: Plan }): number {
  const since = Date.now() - plan.maxLagSeconds * 1_000;
  const seen = all.flatMap(({ reached }) =>
    reached && reached.network === known.network && reached.at >= since ? [reached.block] : [],
  );
  return Math.max(0, ...seen);
}

/**
 * The least busy of the indexers that are synced and have room, apart from those that were tried. Those whose index was
 * chosen come first; any other one is better than no answer.
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
