import type { Db } from "../query/db.ts";
import { listProgress } from "./progress.ts";

/** Tells the time of a question, in unix seconds. */
export type Clock = () => Promise<number>;

export const systemClock: Clock = async () => Math.floor(Date.now() / 1_000);

/**
 * The clock for chains of developers, whose time may be put forward: the newest indexed block's time if that is later
 * than the computer's, so that a name is in grace when its contracts say so.
 */
export const chainClock =
  (db: Db): Clock =>
  async () => {
    const chains = await listProgress(db);
    return Math.max(await systemClock(), ...chains.map((chain) => chain.blockTimestamp));
  };
