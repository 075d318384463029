import type { SearchCounts } from "../query/search.ts";
import type { Question } from "./scan.ts";
import type { RowSql } from "./tests.ts";

/* What the process and the thread of the store send each other. */

/** What the thread gets when it starts. */
export type WorkerPlan = {
  databaseUrl: string;
  schema: string;
  sql: RowSql;
  maxBytes: number;
};

/** The time that both threads know, in milliseconds. It goes on evenly, whatever the machine's clock is set to. */
export const sharedTime = (): number => performance.timeOrigin + performance.now();

/** A question. `version`: the state of the tables that the answer has to be of; `until`: when its caller goes on, in `sharedTime`. */
export type Asked = { id: number; version: string; until: number; question: Question };

/** `look`: the tables may have changed. `stop`: the thread shall end. */
export type ToWorker = Asked | "look" | "stop";

/** Null if the store cannot decide the question. */
export type Answer = { kind: "answer"; id: number; counts: SearchCounts | null };

/** How the store is. `waiting`: nothing notes writes yet, or the database does not answer. */
export type Report = {
  kind: "report";
  state: "waiting" | "loading" | "ready" | "failed";
  /** Names stored, and the memory that they take. */
  names: number;
  bytes: number;
  /** What texts the names of each chain can have, in memory that the thread writes on. */
  textCounts: ReadonlyMap<number, SharedArrayBuffer>;
  error?: string;
};

/** The report of a store without names. */
export const nothing: Report = {
  kind: "report",
  state: "waiting",
  names: 0,
  bytes: 0,
  textCounts: new Map(),
};
