import { Worker } from "node:worker_threads";
import type { SearchCounts } from "../query/search.ts";
import { type Answer, type Asked, nothing, type Report, type ToWorker, type WorkerPlan } from "./messages.ts";

/** The thread of the store, seen from the process. It is started again whenever it ends. */
export type Thread = {
  /** Null where the store is of another state, or ends. */
  ask: (asked: Omit<Asked, "id">) => Promise<SearchCounts | null>;
  state: () => Report;
  look: () => void;
  stop: () => Promise<void>;
  /** The worker now; a test ends it. */
  worker: () => Worker;
};

/** The pause before the thread is started again after it ended. */
const AGAIN_MS = 5_000;

/** How long a thread may take to end by itself. Node can crash the whole process when it ends one in the middle of its work. */
const STOP_MS = 4_000;

/** Bytes of the thread's heap, which holds what it reads at once; the columns lie beside it. */
export const HEAP_MB = 256;

/** Node itself loads it, as it is. */
const threadFile = new URL("worker.ts", import.meta.url);

export function startThread({ log, ...workerData }: WorkerPlan & { log: (line: string) => void }): Thread {
  const asked = new Map<number, (counts: SearchCounts | null) => void>();
  let last = nothing;
  let logged: string | undefined;
  let next = 0;
  let isStopped = false;
  let again: NodeJS.Timeout | undefined;
  let ended = Promise.resolve();
  let worker = start();

  function start(): Worker {
    const resourceLimits = { maxOldGenerationSizeMb: HEAP_MB };
    const one = new Worker(threadFile, { workerData, execArgv: [], resourceLimits });
    one.unref();
    one.on("message", hear);
    one.on("error", ({ message }) => log(`The store of names ended: ${message}`));
    const ending = Promise.withResolvers<void>();
    ended = ending.promise;
    one.on("exit", () => {
      ending.resolve();
      last = nothing;
      for (const answer of asked.values()) answer(null);
      asked.clear();
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
      asked.delete(message.id);
      return;
    }
    last = message;
    if (message.state === "ready") logged = undefined;
    if (message.state !== "failed" || message.error === logged) return;
    logged = message.error;
    log(`The store of names is not used: ${logged}`);
  }

  const send = (message: ToWorker) => worker.postMessage(message);
  return {
    ask: async (question) => {
      if (last.state !== "ready") return null; // A thread that has ended hears nothing, and would never answer.
      return new Promise((resolve) => {
        const id = next++;
        asked.set(id, resolve);
        send({ id, ...question });
      });
    },
    state: () => last,
    look: () => send("look"),
    worker: () => worker,
    stop: async () => {
      isStopped = true;
      clearTimeout(again);
      send("stop");
      const late = setTimeout(() => void worker.terminate(), STOP_MS);
      await ended;
      clearTimeout(late);
    },
  };
}
