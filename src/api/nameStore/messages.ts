import type { SearchCounts } from "../query/search.ts";
import type { Question } from "./scan.ts";

/* What the process and the thread of the store send each other. */

/** What the thread gets when it starts. */
export type WorkerPlan = { databaseUrl: string; schema: string; bitsSql: string; maxBytes: number };

/** A question. `version`: the state of the tables that the answer has to be of; `until`: when its caller goes on, in unix milliseconds. */
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
  error?: string;
};
