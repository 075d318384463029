import { setTimeout as wait } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import type pg from "pg";
import { findDatabaseError } from "../postgres/databaseErrors.ts";
import { onOwnConnection } from "../postgres/lockedWork.ts";
import type { SearchCounts } from "../query/search.ts";
import { workInTurns } from "../scheduling/repeated.ts";
import { advance, bytesOf, loadNames, type Names, type Source } from "./follow.ts";
import {
  type Answer,
  type Asked,
  nothing,
  type Report,
  sharedTime,
  type ToWorker,
  type WorkerPlan,
} from "./messages.ts";
import { NameStoreFull } from "./nameTable.ts";
import { countNames, noCounts, type Question } from "./scan.ts";

/*
 * The thread of the store: it has a connection of its own, follows the tables and answers questions, one at a time. Node loads this
 * file itself, so nothing that it imports may need Ponder.
 */

const { databaseUrl, schema, sql, maxBytes } = workerData as WorkerPlan;

/** The pause before the names are loaded again, or looked for. */
const TRY_MS = 5_000;
/** The pause before the tables are looked at again after they were locked. */
const LOCKED_MS = 500;
/** The pause after names that took too much memory. */
const FULL_MS = 600_000;

let names: Names | null = null;
/** Questions of a state that the store does not stand on yet. */
const waiting: Asked[] = [];
let look = () => {};

const send = (message: Answer | Report) => parentPort?.postMessage(message);
const report = (state: Report["state"]) =>
  send({ ...nothing, ...(names !== null && contentOf(names)), state });

const contentOf = (of: Names): Omit<Report, "kind" | "state"> => ({
  names: [...of.tables.values()].reduce((sum, table) => sum + table.state.rows, 0),
  bytes: bytesOf(of),
  textCounts: new Map([...of.tables].map(([chainId, { textCounts }]) => [chainId, textCounts.memory])),
});

/** What is late is not counted: its caller has gone on. What is of another state than the store is not answered by it. */
function answer({ id, version, until, question }: Asked): void {
  const isOurs = names !== null && version === names.version && sharedTime() < until;
  send({ kind: "answer", id, counts: isOurs ? countIn(names as Names, question) : null });
}

function countIn({ tables }: Names, question: Question): SearchCounts | null {
  const sum = noCounts();
  for (const chainId of question.chainIds) {
    const table = tables.get(chainId);
    const counts = table === undefined ? sum : countNames(table, question);
    if (counts === null) return null;
    if (table !== undefined)
      for (const key of Object.keys(sum) as (keyof SearchCounts)[]) sum[key] += counts[key];
  }
  return sum;
}

parentPort?.on("message", (message: ToWorker) => {
  if (message === "stop") return void work.stop().finally(() => parentPort?.close());
  if (message !== "look") {
    if (message.version === names?.version) return answer(message);
    waiting.push(message);
  }
  look();
});

/** Loads the names and follows the tables, until the connection ends. */
async function follow(client: pg.Client, ended: AbortSignal): Promise<void> {
  ended.addEventListener("abort", () => look());
  await client.query(`set jit = off; set lock_timeout = 500; set search_path = "${schema}"`);
  const source = { client, schema, sql, maxBytes };
  report("loading");
  const loaded = await loadNames(source, ended);
  if (loaded === null) return report("waiting");
  while (!ended.aborted) {
    const heard = nextLook();
    const asked = waiting.splice(0);
    let hasAdvanced: boolean | null = null;
    try {
      hasAdvanced = await advanceUnlessLocked(loaded, source);
      if (hasAdvanced === false) return;
      if (hasAdvanced) names = loaded;
    } finally {
      // The tables were looked at after these were asked: what is of another state now is of one that is past.
      for (const one of asked) answer(one);
    }
    report(names === null ? "loading" : "ready");
    // Nothing says when a lock is over.
    const again = hasAdvanced === null ? setTimeout(() => look(), LOCKED_MS) : undefined;
    await heard;
    clearTimeout(again);
  }
}

/** Null where the tables are locked for a moment: the names are as they were. */
const advanceUnlessLocked = (loaded: Names, source: Source): Promise<boolean | null> =>
  advance(loaded, source).catch((error: unknown) => {
    if (findDatabaseError(error, AGAIN) === null) throw error;
    return null;
  });

/** PostgreSQL's lock_not_available, deadlock_detected and serialization_failure. */
const AGAIN = ["55P03", "40P01", "40001"];

/** Waits until there may be something new, or someone asks for it, or the connection ends. */
const nextLook = (): Promise<void> =>
  new Promise((resolve) => {
    look = resolve;
  });

const turn = async (stopped: AbortSignal): Promise<void> => {
  try {
    await onOwnConnection({ databaseUrl, applicationName: `${schema}_names`, stopped }, follow);
  } catch (error) {
    if (!(error instanceof NameStoreFull)) throw error;
    giveUp();
    fail(error);
    await wait(FULL_MS, undefined, { signal: stopped });
  } finally {
    giveUp();
    report("waiting");
  }
};

/** Forgets the names. Who waits for them waits no longer. */
function giveUp(): void {
  names = null;
  for (const asked of waiting.splice(0)) answer(asked);
}

const fail = ({ message }: Error): void => send({ ...nothing, state: "failed", error: message });

const work = workInTurns({ turn, pauseMs: TRY_MS, onError: fail });
