import { label, labelProgress, workList } from "ponder:schema";
import { count, isNotNull, min, sql } from "ponder";
import type { Db } from "../../server/postgres/db.ts";

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

/** Labels whose text others than the chains' logs gave. */
export type Healed = {
  /** That names of the index show, each on each chain. */
  labels: number;
  /** `proven_labels.position` up to which every chain has applied them. */
  position: number;
};

export async function readHealed(db: Db): Promise<Healed> {
  const [[healed], [progress]] = await Promise.all([
    // As the index `labels_given` says it.
    db.select({ labels: count() }).from(label).where(sql`${label.source} <> 'event'`),
    db.select({ position: min(labelProgress.position) }).from(labelProgress),
  ]);
  return { labels: healed?.labels ?? 0, position: progress?.position ?? 0 };
}
