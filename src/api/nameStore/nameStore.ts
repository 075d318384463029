import { sql } from "ponder";
import type { Db } from "../postgres/db.ts";
import { noteStatement, noteVersion } from "../postgres/seenState.ts";
import { inAnyCase } from "../query/caseInsensitive.ts";
import type { SearchCounts } from "../query/search.ts";
import type { LifeRules } from "../rules/life.ts";
import { soon } from "../scheduling/lastKnown.ts";
import { fairPlaces } from "../scheduling/places.ts";
import { nothing, type Report, sharedTime, type WorkerPlan } from "./messages.ts";
import { questionOf, type Search } from "./question.ts";
import { testsOf } from "./tests.ts";
import { createTextCounts } from "./textCounts.ts";
import { startThread, type Thread } from "./thread.ts";

/** How the store is, for metrics. */
export type NameStoreState = Pick<Report, "state" | "names" | "bytes">;

/** Counts of searches from memory. */
export type NameStore = {
  /**
   * Counts the names that a search finds, as of one state of the tables.
   *
   * @param version the state, as `TablesState` has it
   * @returns null where the store is not of that state, cannot decide the filters, or does not answer in time: then PostgreSQL
   * counts
   */
  count: (db: Db, version: string | null, search: Search) => Promise<SearchCounts | null>;
  state: () => NameStoreState;
};

/** The stores of all callers: one thread, which they share fairly. */
export type NameStores = {
  /** @param share whose share of the thread is used */
  of: (share: string) => NameStore;
  state: () => NameStoreState;
  /** The tables may have changed. */
  look: () => void;
};

/** Searches that the thread has, and that wait for it, at once. PostgreSQL counts for more. */
export const AT_ONCE = { most: 4, each: 2 };
export const WAITING = { most: 32, each: 8 };
/** How long a caller waits for the store, unless the plan says otherwise. */
export const WAIT_MS = 400;

/** PostgreSQL finds and reads as many names in the time in which all labels of a million are looked at. */
const FEW = 5_000;

export type NameStorePlan = Omit<WorkerPlan, "sql"> & {
  rules: LifeRules;
  waitMs?: number;
  /** Texts that fewer names can have are left to PostgreSQL. */
  few?: number;
  /** Hears of each search by what it is counted. */
  onSearch: (by: "memory" | "database") => void;
  log: (line: string) => void;
};

const storeOfNothing: NameStore = { count: async () => null, state: () => nothing };

/** Stores nothing: PostgreSQL counts. */
export const noNameStores: NameStores = {
  of: () => storeOfNothing,
  state: () => nothing,
  look: () => {},
};

/**
 * Starts the thread of the store. Nothing depends on it: while it loads, is late, is full or has ended, every question is answered
 * with null.
 */
export function startNameStores({
  rules,
  waitMs = WAIT_MS,
  few = FEW,
  onSearch,
  ...plan
}: NameStorePlan): NameStores & Pick<Thread, "stop" | "worker"> {
  const tests = testsOf(rules);
  const thread = startThread({ ...plan, sql: tests.sql });
  const places = fairPlaces({
    running: AT_ONCE,
    waiting: WAITING,
    refuse: () => new Error("Too many wait."),
  });

  async function count(share: string, [db, version, search]: Parameters<NameStore["count"]>) {
    if (thread.state().state !== "ready" || !version) return null;
    const { text } = search.filters;
    if (text && mostWith(thread.state(), text, search) < few) return null;
    const question = questionOf(tests, search);
    if (question === null) return null;
    const texts = text ? await lowerCase(db, inAnyCase(text)) : null;
    const asked = { version, until: sharedTime() + waitMs, question: { ...question, texts } };
    let counts = null as SearchCounts | null;
    const asking = places(share, AbortSignal.timeout(waitMs), async () => {
      counts = await thread.ask(asked);
    });
    await soon(asking.catch(noPlace), waitMs);
    if (counts !== null) noteState(version);
    return counts;
  }

  const of = (share: string): NameStore => ({
    count: async (...asked) => {
      const counts = await count(share, asked);
      onSearch(counts === null ? "database" : "memory");
      return counts;
    },
    state: thread.state,
  });
  return { ...thread, of };
}

/** More names than this do not have a text. It may be less where PostgreSQL has other small letters than JavaScript. */
const mostWith = ({ textCounts }: Report, text: string, { chainIds }: Search): number =>
  chainIds.reduce((sum, chainId) => {
    const memory = textCounts.get(chainId);
    return memory === undefined ? sum : sum + createTextCounts(memory).mostWith(text.toLowerCase());
  }, 0);

/** PostgreSQL counts then. */
const noPlace = () => {};

/** An answer is of one state with these counts only if its rows are. */
function noteState(version: string): void {
  noteStatement();
  noteVersion(version);
}

/** Texts in lower case, as PostgreSQL compares labels. */
async function lowerCase(db: Db, texts: readonly string[]): Promise<string[]> {
  const { rows } = await db.execute<{ texts: string[] }>(
    sql`select array(select distinct lower(one) from unnest(${sql.param(texts)}::text[]) as one) as texts`,
  );
  return rows[0]?.texts ?? [];
}
