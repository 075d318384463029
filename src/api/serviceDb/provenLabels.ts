import type { Store } from "./store.ts";

/** Labels that callers proved, by their hash, where the index knows the hash alone. */
export type ProvenLabels = {
  /** Those of these hashes that are known; none if the store fails: names are then shown by their hash. */
  find: (hashes: readonly `0x${string}`[]) => Promise<Map<`0x${string}`, string>>;
  /** Stores labels in the background, within {@link MAX_LABELS_PER_MINUTE}. The caller has checked the hashes. */
  remember: (labels: ReadonlyMap<`0x${string}`, string>) => void;
};

/**
 * Labels that one process stores in a minute: a bulk request's 500, and some more. The others are shown to those who
 * wrote them, and can be proved again.
 */
export const MAX_LABELS_PER_MINUTE = 600;

const MINUTE_MS = 60_000;

/** The table of proven labels. It is of no chain: a label has the same hash everywhere. */
export function provenLabelsIn(store: Pick<Store, "query">): ProvenLabels {
  let minute = { began: Number.NEGATIVE_INFINITY, stored: 0 };
  const takeRoom = (wanted: number): number => {
    const now = performance.now();
    if (now - minute.began >= MINUTE_MS) minute = { began: now, stored: 0 };
    const room = Math.min(wanted, MAX_LABELS_PER_MINUTE - minute.stored);
    minute.stored += room;
    return room;
  };
  return {
    find: async (hashes) => {
      const rows = await store
        .query<{ hash: string; label: string }>(
          "SELECT encode(labelhash, 'hex') AS hash, label FROM proven_labels WHERE labelhash = ANY($1::bytea[])",
          [hashes.map(bytesOf)],
        )
        .catch(warn);
      return new Map(rows.map(({ hash, label }) => [`0x${hash}`, label]));
    },
    remember: (labels) => {
      const rows = [...labels].slice(0, takeRoom(labels.size));
      if (rows.length === 0) return;
      const columns = [rows.map(([hash]) => bytesOf(hash)), rows.map(([, label]) => label)];
      const insert = `INSERT INTO proven_labels (labelhash, label)
        SELECT * FROM unnest($1::bytea[], $2::text[]) ON CONFLICT DO NOTHING`;
      void store.query(insert, columns).catch(warn);
    },
  };
}

const bytesOf = (hash: string): Buffer => Buffer.from(hash.slice(2), "hex");

function warn(error: unknown): never[] {
  console.warn("Proven labels cannot be used:", error instanceof Error ? error.message : error);
  return [];
}
