import { label, labelProgress, workList } from "ponder:schema";
import { count, isNotNull, min, sql } from "ponder";
import type { Db } from "../../server/postgres/db.ts";

/** Work that the indexer has not yet written, on all chains. A block has room for some of it, later blocks for the rest. */
export type Waiting = {
  /** Lists of domains below a newly known label. */
  renames: number;
  /** Lists of ENSv2 entries that gain or lose a name. */
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

/** Labels whose text comes from other sources than the chains' logs. */
export type Healed = {
  /** Labels shown in names of the index, counted on each chain. */
  labels: number;
  /** The `proven_labels.position` up to which every chain has applied them. */
  position: number;
};

export async function readHealed(db: Db): Promise<Healed> {
  const [[healed], [progress]] = await Promise.all([
    // The condition repeats the predicate of the index `labels_given`.
    db.select({ labels: count() }).from(label).where(sql`${label.source} <> 'event'`),
    db.select({ position: min(labelProgress.position) }).from(labelProgress),
  ]);
  return { labels: healed?.labels ?? 0, position: progress?.position ?? 0 };
}
