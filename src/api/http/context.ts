import type { Contracts } from "../../../abis/contracts.ts";
import type { Heads } from "../indexState/chainHead.ts";
import type { Freshness } from "../indexState/freshness.ts";
import type { Live } from "../live/live.ts";
import type { Db } from "../query/db.ts";
import type { Block } from "../serviceDb/liveAnswers.ts";

/** What an operation works with; made anew for each request, nothing in it is global. */
export type Ctx = {
  db: Db;
  contracts: Contracts;
  /** The time of the question, in unix seconds: the same for everything in one answer. */
  now: number;
  /** Answers from the chain, for what the index cannot know. */
  live: Live;
  /** The block at which live answers are read. @throws LiveFailure where only the chain could tell it and does not */
  liveBlock: () => Promise<Block>;
  /** Newest block of a chain as its node says; null if it cannot be asked. */
  chainHead: Heads;
  /** How far the index is. */
  freshness: Freshness;
};
