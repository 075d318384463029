import type { Db } from "../postgres/db.ts";
import { listProgress } from "./progress.ts";

/** Tells the time of a request, in unix seconds. */
export type Clock = () => Promise<number>;

/** Unix seconds by the computer's clock. Public chains make their blocks by it. */
export const systemSeconds = (): number => Math.floor(Date.now() / 1_000);

export const systemClock: Clock = async () => systemSeconds();

/**
 * The clock for development chains, whose time can be set ahead: the time of the newest indexed block if that is later
 * than the computer's, so that a name is in grace when its contracts say so.
 */
export const chainClock =
  (db: Db): Clock =>
  async () => {
    const chains = await listProgress(db);
    return Math.max(systemSeconds(), ...chains.map((chain) => chain.blockTimestamp));
  };
