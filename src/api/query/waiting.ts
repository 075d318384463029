import { ensv2Mounting, rename } from "ponder:schema";
import { sql } from "ponder";
import type { Db } from "../postgres/db.ts";

/** What the indexer has still to write, on all chains: a block has room for some, and later blocks for the rest. */
export type Waiting = {
  /** Lists of domains below a label that became known. */
  renames: number;
  /** Lists of entries of ENSv2 that get a name, or lose it. */
  mounts: number;
};

export async function countWaiting(db: Db): Promise<Waiting> {
  const sum = sql<number>`coalesce(sum(waiting), 0)::int`;
  const [[renames], [mounts]] = await Promise.all([
    db.select({ waiting: sum }).from(rename),
    db.select({ waiting: sum }).from(ensv2Mounting),
  ]);
  return { renames: renames?.waiting ?? 0, mounts: mounts?.waiting ?? 0 };
}
