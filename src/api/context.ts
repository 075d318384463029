import type schema from "ponder:schema";
import type { ReadonlyDrizzle } from "ponder";
import type { Contracts } from "./contracts.ts";

/** Read side of the index. */
export type Db = ReadonlyDrizzle<typeof schema>;

/** What an operation works with; made anew for each request, nothing in it is global. */
export type Ctx = {
  db: Db;
  contracts: Contracts;
  /** The time of the question, in unix seconds: the same for everything in one answer. */
  now: number;
  /** Newest block of the registry's chain as its node says; null if it cannot be asked. */
  chainHead: () => Promise<number | null>;
};
