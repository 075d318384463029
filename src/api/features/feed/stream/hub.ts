import type { Db } from "../../../server/postgres/db.ts";
import { shared } from "../../../server/scheduling/shared.ts";
import { type ChangeFilters, isWanted } from "../filters.ts";
import { readChanges, readFeedState } from "../read.ts";
import type { ChangeRow, FeedState } from "../rows.ts";

/** Changes that a process has in memory for its readers. Who stands before them reads the table. */
export const MOST_IN_MEMORY = 5_000;
const AT_ONCE = 1_000;

type HubPlan = {
  db: Db;
  /** How often the feed is looked at without a notification, in milliseconds. */
  everyMs?: number;
  onError: (error: unknown) => void;
};

/** The newest changes, read once for all readers of the process, while there are any. */
export type Hub = {
  /** A reader comes: the state of the feed. Each calls `leave` in the end. */
  join: () => Promise<FeedState>;
  leave: () => void;
  /** The newest state that was read. @throws Error before the first `join` */
  state: () => FeedState;
  /** The changes after a number that a reader wants, from memory; null if they are not all there. */
  after: (number: number, filters: ChangeFilters) => ChangeRow[] | null;
  /** Resolves at the next look that found something, or after a time. */
  news: (mostMs: number, signal: AbortSignal) => Promise<void>;
  /** Looks now. */
  look: () => void;
  stop: () => Promise<void>;
};

const EVERY_MS = 2_000;

export function createHub({ db, everyMs = EVERY_MS, onError }: HubPlan): Hub {
  let state: FeedState | null = null;
  let rows: ChangeRow[] = [];
  /** Changes up to this number are not in `rows`. */
  let from = 0;
  let readers = 0;
  const waiting = new Set<() => void>();

  const read = shared(async (): Promise<FeedState> => {
    const found = await readFeedState(db);
    const isNew = state === null || state.epoch !== found.epoch || state.newest !== found.newest;
    const isSame = state?.epoch === found.epoch;
    const begin = isSame ? Math.max(state?.newest ?? 0, found.newest - MOST_IN_MEMORY) : found.newest;
    const fresh = await readBetween(db, begin, found.newest);
    if (readers === 0) return found; // All have left meanwhile: nothing is kept.
    // Readers see the state and its rows at once: what they are given ends where the state does.
    if (begin !== state?.newest || !isSame) [rows, from] = [[], begin];
    rows = [...rows, ...fresh];
    const over = rows.length - MOST_IN_MEMORY;
    if (over > 0) from = rows.splice(0, over).at(-1)?.number ?? from;
    state = found;
    if (isNew) for (const wake of [...waiting]) wake();
    return found;
  });
  const look = (): void => {
    if (readers > 0) read().catch(onError);
  };
  const timer = setInterval(look, everyMs);
  timer.unref();

  return {
    join: async () => {
      readers++;
      return read().catch((error: unknown) => {
        readers--;
        throw error;
      });
    },
    leave: () => {
      readers--;
      if (readers === 0) [state, rows, from] = [null, [], 0];
    },
    state: () => {
      if (state === null) throw new Error("The feed was not read yet");
      return state;
    },
    after: (number, filters) => {
      if (number < from) return null;
      return rows
        .slice(indexAfter(rows, number))
        .filter((row) => row.type === "block.ended" || isWanted(row, filters));
    },
    news: (mostMs, signal) =>
      new Promise((resolve) => {
        const done = () => {
          clearTimeout(timeout);
          waiting.delete(done);
          signal.removeEventListener("abort", done);
          resolve();
        };
        const timeout = setTimeout(done, mostMs);
        signal.addEventListener("abort", done);
        waiting.add(done);
        if (signal.aborted) done();
      }),
    look,
    stop: async () => {
      clearInterval(timer);
      for (const wake of [...waiting]) wake();
    },
  };
}

/** Where the first row after a number is, by halving: a reader mostly stands near the end. */
function indexAfter(rows: readonly ChangeRow[], number: number): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((rows[middle]?.number ?? 0) > number) high = middle;
    else low = middle + 1;
  }
  return low;
}

async function readBetween(db: Db, after: number, newest: number): Promise<ChangeRow[]> {
  const rows: ChangeRow[] = [];
  for (let at = after; at < newest; ) {
    const page = await readChanges(db, { after: at, newest, limit: AT_ONCE, filters: {} });
    rows.push(...page.rows);
    at = page.next;
  }
  return rows;
}
