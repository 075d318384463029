import type { Store } from "./store.ts";

type Hash = `0x${string}`;

export type AskedLabels = ReturnType<typeof askedLabelsIn>;

/** Names that are looked at together. */
const NAMES_AT_ONCE = 500;
/** What a service does not know today it may know in a later version. */
const UNKNOWN = "interval '30 days'";

/** Labels that a service was asked for. One process at a time asks, so nothing is locked. */
export function askedLabelsIn(store: Pick<Store, "query">, source: string) {
  const bytesOf = (hash: Hash) => Buffer.from(hash.slice(2), "hex");
  const withoutKnown = async (hashes: readonly Hash[]): Promise<Hash[]> => {
    const rows = await store.query<{ hash: string }>(
      `SELECT encode(labelhash, 'hex') AS hash FROM unnest($1::bytea[]) AS wanted (labelhash)
       WHERE NOT EXISTS (SELECT FROM proven_labels known WHERE known.labelhash = wanted.labelhash)
         AND NOT EXISTS (SELECT FROM asked_labels asked
           WHERE asked.labelhash = wanted.labelhash AND asked.source = $2 AND asked.until > now())`,
      [hashes.map(bytesOf), source],
    );
    return rows.map(({ hash }): Hash => `0x${hash}`);
  };
  return {
    /**
     * Hashes to look up among the next names after a node, in the order of nodes: those without a known text that were not
     * looked up lately. Null at the end of the names.
     */
    listUnasked: async (indexSchema: string, behind: Hash | null) => {
      const rows = await store.query<{ node: Hash; labelhash: Hash | null }>(
        `SELECT node, labelhash FROM "${indexSchema}".domains WHERE NOT is_label_known AND node > $1
         ORDER BY node LIMIT ${NAMES_AT_ONCE}`,
        [behind ?? ""],
      );
      const last = rows.at(-1)?.node;
      if (last === undefined) return null;
      const hashes = [...new Set(rows.flatMap(({ labelhash }) => labelhash ?? []))];
      return { hashes: hashes.length === 0 ? [] : await withoutKnown(hashes), last };
    },
    /** The service does not know it: the next lookup is in a month. */
    noteUnknown: async (hash: Hash): Promise<void> => {
      await store.query(
        `INSERT INTO asked_labels (labelhash, source, until) VALUES ($1, $2, now() + ${UNKNOWN})
         ON CONFLICT (labelhash, source) DO UPDATE SET until = excluded.until`,
        [bytesOf(hash), source],
      );
    },
    /** The service gave the text, which the caller has hashed. */
    noteKnown: async (hash: Hash, label: string): Promise<void> => {
      await store.query(
        "INSERT INTO proven_labels (labelhash, label, source) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
        [bytesOf(hash), label, source],
      );
      await store.query("DELETE FROM asked_labels WHERE source = $2 AND labelhash = $1", [
        bytesOf(hash),
        source,
      ]);
    },
  };
}
