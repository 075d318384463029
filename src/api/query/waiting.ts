import { workList } from "ponder:schema";
import { count, isNotNull } from "ponder";
import type { Db } from "../postgres/db.ts";

/** What the indexer has still to write, on all chains: a block has room for some, and later blocks for the rest. */
export type Waiting = {
  /** Lists of domains below a label that became known. */
  renames: number;
  /** Lists of entries of ENSv2 that get a name, or lose it. */
  mounts: number;
};

export async function countWaiting(db: Db): Promise<Waiting> {
  const lists = await db
    .select({ kind: workList.kind, lists: count() })
    .from(workList)
    .where(isNotNull(workList.nextItem))
    .groupBy(workList.kind);
  const of = (kind: (typeof lists)[number]["kind"]) => lists.find((one) => one.kind === kind)?.lists ?? 0;
  return { renames: of("same_label") + of("children"), mounts: of("entries") };
}
