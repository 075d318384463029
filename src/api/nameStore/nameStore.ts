import { Worker } from "node:worker_threads";
import { sql } from "ponder";
import type { Db } from "../postgres/db.ts";
import { inAnyCase } from "../query/caseInsensitive.ts";
import type { LifeRules } from "../rules/life.ts";
import type { Answer, Asked, Report, WorkerPlan } from "./messages.ts";
import { questionOf, type Search } from "./question.ts";
import type { Counts, Question } from "./scan.ts";
import { testsOf } from "./tests.ts";

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
  count: (db: Db, version: string | null, search: Search) => Promise<Counts | null>;
  state: () => NameStoreState;
};

/** Questions that wait at once; more are counted by PostgreSQL. */
export const MOST_WAITING = 32;
/** How long a caller waits for the store, in milliseconds. */
export const WAIT_MS = 400;
/** The pause before the thread is started again after it ended. */
const AGAIN_MS = 5_000;

export type NameStorePlan = Omit<WorkerPlan, "bitsSql"> & {
  rules: LifeRules;
  /** Hears of each search by what it is counted. */
  onSearch: (by: "memory" | "database") => void;
  log: (line: string) => void;
};

/** Node itself loads it, as it is. */
const threadFile = new URL("worker.ts", import.meta.url);

const nothing: Report = { kind: "report", state: "waiting", names: 0, bytes: 0 };

/** A store that stores nothing: PostgreSQL counts. */
export const noNameStore: NameStore = {
  count: async () => null,
  state: () => nothing,
};

/**
 * Starts the thread of the store. Nothing depends on it: while it loads, is late, is full or has ended, every question is answered
 * with null.
 */
export function startNameStore(
  plan: NameStorePlan,
): NameStore & { stop: () => Promise<void>; thread: () => Worker } {
  const tests = testsOf(plan.rules);
  const asked = new Map<number, (counts: Counts | null) => void>();
  let last = nothing;
  let next = 0;
  let isStopped = false;
  let again: NodeJS.Timeout | undefined;
  let worker = start();

  function start(): Worker {
    const { databaseUrl, schema, maxBytes, log } = plan;
    const workerData: WorkerPlan = { databaseUrl, schema, maxBytes, bitsSql: tests.bitsSql };
    const one = new Worker(threadFile, {
      ...{ workerData, execArgv: [], resourceLimits: { maxOldGenerationSizeMb: HEAP_MB } },
    });
    one.unref();
    one.on("message", hear);
    one.on("error", ({ message }) => log(`The store of names ended: ${message}`));
    one.on("exit", () => {
      last = nothing;
      for (const answer of asked.values()) answer(null);
      if (isStopped) return;
      again = setTimeout(() => {
        worker = start();
      }, AGAIN_MS).unref();
    });
    return one;
  }

  function hear(message: Answer | Report): void {
    if (message.kind === "answer") {
      asked.get(message.id)?.(message.counts);
      return;
    }
    if (message.state === "failed" && last.state !== "failed")
      plan.log(`The store of names is not used: ${message.error}`);
    last = message;
  }

  function ask(version: string, question: Question): Promise<Counts | null> {
    const id = next++;
    return new Promise((resolve) => {
      const end = (counts: Counts | null) => {
        clearTimeout(timer);
        asked.delete(id);
        resolve(counts);
      };
      const timer = setTimeout(() => end(null), WAIT_MS);
      asked.set(id, end);
      worker.postMessage({ id, version, until: Date.now() + WAIT_MS, question } satisfies Asked);
    });
  }

  async function count(db: Db, version: string | null, search: Search): Promise<Counts | null> {
    if (last.state !== "ready" || !version || asked.size >= MOST_WAITING) return null;
    const question = questionOf(tests, search);
    if (question === null) return null;
    const { text } = search.filters;
    return ask(version, { ...question, texts: text ? await lowerCase(db, inAnyCase(text)) : null });
  }

  return {
    count: async (...of) => {
      const counts = await count(...of);
      plan.onSearch(counts === null ? "database" : "memory");
      return counts;
    },
    state: () => last,
    /** The thread now; a test ends it. */
    thread: () => worker,
    stop: async () => {
      isStopped = true;
      clearTimeout(again);
      await worker.terminate();
    },
  };
}

/** Bytes of the thread's heap, which holds what it reads at once; the columns lie beside it. */
const HEAP_MB = 256;

/** Texts in lower case, as PostgreSQL compares labels. */
async function lowerCase(db: Db, texts: readonly string[]): Promise<string[]> {
  const { rows } = await db.execute<{ texts: string[] }>(
    sql`select array(select distinct lower(one) from unnest(${sql.param(texts)}::text[]) as one) as texts`,
  );
  return rows[0]?.texts ?? [];
}
