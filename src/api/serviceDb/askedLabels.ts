import type { Store } from "./store.ts";

type Hash = `0x${string}`;

/** Which hashes a service was asked for. */
export type AskedLabels = {
  /**
   * Hashes of names behind a node, in the nodes' order: those of which no text is known. Null at the end of the names.
   */
  listUnknown: (indexSchema: string, behind: Hash | null) => Promise<{ hashes: Hash[]; last: Hash } | null>;
  /** Of these hashes those that are this process's to ask now: no other one asks them, and none did lately. */
  claim: (hashes: readonly Hash[]) => Promise<Hash[]>;
  /** The service does not know these: they are asked again in a month. */
  noteUnknown: (hashes: readonly Hash[]) => Promise<void>;
  /** The service gave the text, which the caller has hashed. */
  noteKnown: (hash: Hash, label: string) => Promise<void>;
  /** These were not asked after all. */
  release: (hashes: readonly Hash[]) => Promise<void>;
};

/** Names that are looked at for one round of questions. */
const NAMES_AT_ONCE = 500;
/** How long a process may take to ask what it claimed. */
const CLAIM = "interval '15 minutes'";
/** What a service does not know today it may know in a later version. */
const UNKNOWN = "interval '30 days'";

export function askedLabelsIn(store: Pick<Store, "query">, source: string): AskedLabels {
  const bytes = (hashes: readonly Hash[]) => hashes.map((hash) => Buffer.from(hash.slice(2), "hex"));
  return {
    listUnknown: async (indexSchema, behind) => {
      const rows = await store.query<{ node: Hash; labelhash: Hash | null }>(
        `SELECT node, labelhash FROM "${indexSchema}".domains WHERE NOT is_label_known AND node > $1
         ORDER BY node LIMIT ${NAMES_AT_ONCE}`,
        [behind ?? ""],
      );
      const last = rows.at(-1)?.node;
      if (last === undefined) return null;
      return { hashes: [...new Set(rows.flatMap(({ labelhash }) => labelhash ?? []))], last };
    },
    claim: async (hashes) => {
      const rows = await store.query<{ hash: string }>(
        `INSERT INTO asked_labels (labelhash, source, until)
         SELECT labelhash, $2, now() + ${CLAIM} FROM unnest($1::bytea[]) AS wanted (labelhash)
         WHERE NOT EXISTS (SELECT FROM proven_labels known WHERE known.labelhash = wanted.labelhash)
         ON CONFLICT (labelhash, source) DO UPDATE SET until = excluded.until WHERE asked_labels.until < now()
         RETURNING encode(labelhash, 'hex') AS hash`,
        [bytes(hashes), source],
      );
      return rows.map(({ hash }): Hash => `0x${hash}`);
    },
    noteUnknown: async (hashes) => {
      await store.query(
        `UPDATE asked_labels SET until = now() + ${UNKNOWN} WHERE source = $2 AND labelhash = ANY($1::bytea[])`,
        [bytes(hashes), source],
      );
    },
    noteKnown: async (hash, label) => {
      await store.query(
        "INSERT INTO proven_labels (labelhash, label, source) SELECT labelhash, $2, $3 FROM unnest($1::bytea[]) AS one (labelhash) ON CONFLICT DO NOTHING",
        [bytes([hash]), label, source],
      );
      await store.query("DELETE FROM asked_labels WHERE source = $2 AND labelhash = ANY($1::bytea[])", [
        bytes([hash]),
        source,
      ]);
    },
    release: async (hashes) => {
      await store.query("DELETE FROM asked_labels WHERE source = $2 AND labelhash = ANY($1::bytea[])", [
        bytes(hashes),
        source,
      ]);
    },
  };
}
