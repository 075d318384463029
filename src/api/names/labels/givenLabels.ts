import { messageOf } from "../../server/postgres/databaseErrors.ts";
import type { LabelRows } from "../../server/serviceDb/provenLabels.ts";
import { createLabelMemory, type GivenLabel } from "./labelMemory.ts";

/** What the handlers of this process ask. Nothing is read before the first of them does: a replica never asks. */
export type GivenLabels = {
  /** Ends when every label that was stored before is in memory. It never fails: it waits for a database that is away. */
  ready: () => Promise<void>;
  newest: () => number;
  find: (labelhash: string) => GivenLabel | null;
  after: (position: number, max: number) => GivenLabel[];
  stop: () => Promise<void>;
};

/** How often new labels are looked for. */
const FOLLOW_MS = 2_000;

type Plan = {
  rows: LabelRows;
  /** Schema of this process's index. */
  schema: string;
  warn: (line: string) => void;
  followMs?: number;
};

/**
 * Labels that callers, tables and services gave, in memory, for the handlers of the index. New ones are read from the
 * service's table every two seconds.
 */
export function holdGivenLabels({ rows, schema, warn, followMs = FOLLOW_MS }: Plan): GivenLabels {
  const memory = createLabelMemory();
  const state = { isFull: false, isStopped: false };
  let timer: NodeJS.Timeout | undefined;
  let loaded: Promise<void> | undefined;

  const readNew = async (): Promise<void> => {
    while (!state.isFull && !state.isStopped) {
      const next = await rows.readAfter(memory.newest());
      if (next.length === 0) return;
      state.isFull = next.some((row) => !memory.add(row));
    }
    if (state.isFull)
      warn("There are more labels of callers and tables than are held in memory: some stay unused");
  };
  const follow = async (): Promise<void> => {
    await readNew().catch((error: unknown) => warn(`New labels cannot be read: ${messageOf(error)}`));
    if (!state.isFull) wait();
  };
  const wait = (): void => {
    if (!state.isStopped) timer = setTimeout(() => void follow(), followMs).unref();
  };
  const load = async (): Promise<void> => {
    while (!state.isStopped) {
      try {
        await rows.adopt(schema);
        await readNew();
        return wait();
      } catch (error) {
        warn(`The index waits for the labels of callers and tables: ${messageOf(error)}`);
        await new Promise((resolve) => setTimeout(resolve, followMs));
      }
    }
  };
  return {
    ready: () => {
      loaded ??= load();
      return loaded;
    },
    newest: memory.newest,
    find: memory.find,
    after: memory.after,
    stop: async () => {
      state.isStopped = true;
      clearTimeout(timer);
    },
  };
}
