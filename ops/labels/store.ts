import type { Store } from "../../src/api/server/serviceDb/store.ts";
import { keccak256 } from "../../src/ens/keccak.ts";
import type { LabelSet } from "./forms/record.ts";

/** How far a table was read, and what was counted till there. */
export type Progress = {
  /** The first byte that was not read, in the table without compression. */
  byte: number;
  set: LabelSet | null;
  records: number;
  stored: number;
  wrong: number;
  unusable: number;
};

/** The rows that an import writes: labels, and how far it is. */
export type ImportRows = {
  /** Where an interrupted import of this table continues; the beginning for a new or finished one. */
  begin: (tableId: string) => Promise<Progress>;
  /** Stores labels and the progress in one transaction. Gives how many were new. */
  save: (tableId: string, done: Progress & { labels: readonly string[] }) => Promise<number>;
  finish: (tableId: string) => Promise<void>;
};

type Row = {
  table_id: string;
  set_id: string;
  set_version: number;
  byte: string;
  records: string;
  stored: string;
  wrong: string;
  unusable: string;
};

const atBeginning: Progress = { byte: 0, set: null, records: 0, stored: 0, wrong: 0, unusable: 0 };

/** How `labels.source` names a table. */
const sourceOf = ({ id, version }: LabelSet): string => `table:${id}@${version}`;

export function importRowsIn(store: Pick<Store, "query" | "transaction">): ImportRows {
  return {
    begin: async (tableId) => {
      const [row] = await store.query<Row>(
        "SELECT * FROM label_imports WHERE table_id = $1 AND finished_at IS NULL",
        [tableId],
      );
      return row === undefined ? atBeginning : progressOf(row);
    },
    save: (tableId, { labels, byte, set, records, stored, wrong, unusable }) =>
      store.transaction(async ({ query }) => {
        const rows = await query(
          `INSERT INTO proven_labels (labelhash, label, source)
           SELECT labelhash, label, $3 FROM unnest($1::bytea[], $2::text[]) AS found (labelhash, label)
           ON CONFLICT DO NOTHING RETURNING 1`,
          [labels.map(hashOf), labels, set === null ? "table" : sourceOf(set)],
        );
        await query(
          `INSERT INTO label_imports (table_id, set_id, set_version, byte, records, stored, wrong, unusable)
           VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
           ON CONFLICT (table_id) DO UPDATE SET (set_id, set_version, byte, records, stored, wrong, unusable, finished_at,
             saved_at) = ($2, $3, $4, $5, $6, $7, $8, NULL, now())`,
          [tableId, set?.id, set?.version, byte, records, stored + rows.length, wrong, unusable],
        );
        return rows.length;
      }),
    finish: async (tableId) => {
      await store.query("UPDATE label_imports SET finished_at = now() WHERE table_id = $1", [tableId]);
    },
  };
}

const hashOf = (label: string): Buffer => Buffer.from(keccak256(label).slice(2), "hex");

const progressOf = (row: Row): Progress => ({
  byte: Number(row.byte),
  set: { id: row.set_id, version: row.set_version },
  records: Number(row.records),
  stored: Number(row.stored),
  wrong: Number(row.wrong),
  unusable: Number(row.unusable),
});
