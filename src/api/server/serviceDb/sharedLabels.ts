import type { Store } from "./store.ts";

type Hash = `0x${string}`;

export type SharedLabels = ReturnType<typeof sharedLabelsIn>;

/** Names that are looked at together. */
export const NAMES_AT_ONCE = 500;

/** Labels that one chain knows by text and another only by hash. A label that a log of any chain spelled out is one of an event. */
export function sharedLabelsIn(
  store: Pick<Store, "query">,
  { schema, chainIds }: { schema: string; chainIds: readonly number[] },
) {
  const index = `"${schema}"`;
  return {
    /** Stores those of the next names behind a node, in the nodes' order. Gives the last node; null at the end of the names. */
    share: async (behind: Hash | null): Promise<Hash | null> => {
      const [page] = await store.query<{ last: Hash | null }>(
        `WITH page AS MATERIALIZED (
           SELECT node, labelhash FROM ${index}.domains WHERE NOT is_label_known AND node > $1
           ORDER BY node LIMIT ${NAMES_AT_ONCE}
         ), stored AS (
           INSERT INTO proven_labels (labelhash, label, source)
           SELECT DISTINCT ON (known.labelhash) decode(substr(known.labelhash, 3), 'hex'), known.label, 'event'
           FROM page JOIN ${index}.labels known ON known.labelhash = page.labelhash AND known.chain_id = ANY($2)
           WHERE known.label IS NOT NULL ON CONFLICT DO NOTHING
         ) SELECT max(node) AS last FROM page`,
        [behind ?? "", chainIds],
      );
      return page?.last ?? null;
    },
  };
}
