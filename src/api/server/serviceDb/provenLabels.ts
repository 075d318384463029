import { databaseLocks } from "../postgres/advisoryLocks.ts";
import { messageOf } from "../postgres/databaseErrors.ts";
import type { Store } from "./store.ts";

/** A text, and where it is from. */
export type ProvenLabel = { label: string; source: string };

export type ProvenLabels = ReturnType<typeof provenLabelsIn>;

/**
 * Labels that one process stores in a minute: a bulk request's 500, and some more. The others are shown to those who
 * wrote them, and can be proved again.
 */
export const MAX_LABELS_PER_MINUTE = 600;

/** As many labels as the indexer holds in memory. */
const MAX_COUNTED = 5_000_000;

const MINUTE_MS = 60_000;

/** A label as the indexer reads it. */
type LabelRow = { position: number; labelhash: `0x${string}`; label: string; source: string };

export type LabelRows = ReturnType<typeof labelRowsIn>;

const ROWS_AT_ONCE = 10_000;

/** The table of proven labels, as the indexer reads it. */
export const labelRowsIn = (store: Pick<Store, "query" | "transaction">) => ({
  /** The next rows behind a position, in their order, {@link ROWS_AT_ONCE} at most. Rows without a number get theirs. */
  readAfter: async (position: number): Promise<LabelRow[]> => {
    await numberRows(store);
    const rows = await store.query<Omit<LabelRow, "labelhash" | "position"> & { hash: string; at: string }>(
      `SELECT position::text AS at, encode(labelhash, 'hex') AS hash, label, source FROM proven_labels
         WHERE position > $1 ORDER BY position LIMIT ${ROWS_AT_ONCE}`,
      [position],
    );
    return rows.map(({ at, hash, label, source }) => ({
      position: Number(at),
      labelhash: `0x${hash}` as const,
      label,
      source,
    }));
  },
  /**
   * Takes over what an index has of others and this table lacks: its tables are those of a snapshot, or this table is an
   * older backup.
   */
  adopt: async (indexSchema: string): Promise<void> => {
    const index = `"${indexSchema}"`;
    const [found] = await store.query<{ isBehind: boolean }>(
      `SELECT (SELECT max(position) FROM ${index}.label_progress) > coalesce(max(position), 0) AS "isBehind"
         FROM proven_labels`,
    );
    if (!found?.isBehind) return;
    await store.transaction(async ({ query }) => {
      await query("SET LOCAL statement_timeout = 0");
      await query(
        `INSERT INTO proven_labels (labelhash, label, source)
           SELECT DISTINCT ON (labelhash) decode(substr(labelhash, 3), 'hex'), label, source FROM ${index}.labels
           WHERE label IS NOT NULL AND source <> 'event' ON CONFLICT DO NOTHING`,
      );
    });
  },
});

/**
 * Gives numbers to rows that have none, in an order in which no reader passes one over: one process at a time does, and a
 * number is greater than any that this table ever had, also where it is an older backup.
 */
async function numberRows(store: Pick<Store, "query" | "transaction">): Promise<void> {
  const [unnumbered] = await store.query("SELECT FROM proven_labels WHERE position IS NULL LIMIT 1");
  if (unnumbered === undefined) return;
  await store.transaction(async ({ query }) => {
    await query("SELECT pg_advisory_xact_lock($1)", [databaseLocks.labelNumbers]);
    await query(
      `UPDATE proven_labels SET position = base.position + next.number
       FROM (SELECT greatest(coalesce(max(position), 0), (extract(epoch FROM clock_timestamp()) * 1000000)::bigint)
             AS position FROM proven_labels) base,
         (SELECT labelhash, row_number() OVER () AS number FROM
           (SELECT labelhash FROM proven_labels WHERE position IS NULL LIMIT ${ROWS_AT_ONCE}) waiting) next
       WHERE proven_labels.labelhash = next.labelhash`,
    );
  });
}

/**
 * Texts of labels that others than the chain's logs gave, by their hash, where the index knows the hash alone. They belong to no
 * chain: a label has the same hash everywhere.
 */
export function provenLabelsIn(store: Pick<Store, "query">) {
  let minute = { began: Number.NEGATIVE_INFINITY, stored: 0 };
  const takeRoom = (wanted: number): number => {
    const now = performance.now();
    if (now - minute.began >= MINUTE_MS) minute = { began: now, stored: 0 };
    const room = Math.min(wanted, MAX_LABELS_PER_MINUTE - minute.stored);
    minute.stored += room;
    return room;
  };
  return {
    /** Those of these hashes that are known; none if the store fails: names are then shown by their hash. */
    find: async (hashes: readonly `0x${string}`[]): Promise<Map<`0x${string}`, ProvenLabel>> => {
      const rows = await store
        .query<ProvenLabel & { hash: string }>(
          "SELECT encode(labelhash, 'hex') AS hash, label, source FROM proven_labels WHERE labelhash = ANY($1::bytea[])",
          [hashes.map(bytesOf)],
        )
        .catch(warn);
      return new Map(rows.map(({ hash, label, source }) => [`0x${hash}`, { label, source }]));
    },
    /** How many labels stand behind a position, {@link MAX_COUNTED} at most. */
    countAfter: async (position: number): Promise<number> => {
      const [row] = await store.query<{ count: number }>(
        `SELECT count(*)::int AS count FROM
           (SELECT FROM proven_labels WHERE position > $1 OR position IS NULL LIMIT ${MAX_COUNTED}) behind`,
        [position],
      );
      return row?.count ?? 0;
    },
    /** Stores labels in the background, within {@link MAX_LABELS_PER_MINUTE}. The caller has checked the hashes. */
    remember: (labels: ReadonlyMap<`0x${string}`, string>): void => {
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
  console.warn("Cannot load proven labels:", messageOf(error));
  return [];
}
