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

const EVERY_MS = 2_000;

export type Hub = ReturnType<typeof createHub>;

/** The newest changes, read once for all readers of the process, while there are any. */
export function createHub({ db, everyMs = EVERY_MS, onError }: HubPlan) {
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
    /** A reader comes: the state of the feed. Each calls `leave` in the end. */
    join: async (): Promise<FeedState> => {
      readers++;
      return read().catch((error: unknown) => {
        readers--;
        throw error;
      });
    },
    leave: (): void => {
      readers--;
      if (readers === 0) [state, rows, from] = [null, [], 0];
    },
    /** The newest state that was read. @throws Error before the first `join` */
    state: (): FeedState => {
      if (state === null) throw new Error("The feed was not read yet");
      return state;
    },
    /** The changes after a number that a reader wants, from memory; null if they are not all there. */
    after: (number: number, filters: ChangeFilters): ChangeRow[] | null => {
      if (number < from) return null;
      return rows
        .slice(indexAfter(rows, number))
        .filter((row) => row.type === "block.ended" || isWanted(row, filters));
    },
    /** Resolves at the next look that found something, or after a time. */
    news: (mostMs: number, signal: AbortSignal) =>
      new Promise<void>((resolve) => {
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
    /** Looks now. */
    look,
    stop: async (): Promise<void> => {
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
