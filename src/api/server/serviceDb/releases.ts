import type { Queries } from "../postgres/client.ts";

/** Schemas of the index that readers are sent to, and of the one before it; null where none was chosen. */
export type Release = { active: string | null; previous: string | null };

/** The index that was chosen last, and the one before it. */
export async function readRelease(queries: Queries): Promise<Release> {
  const [active = null, previous = null] = await listReleased(queries);
  return { active, previous };
}

/** The schemas that were ever chosen, the latest first. */
export async function listReleased({ query }: Queries): Promise<string[]> {
  const rows = await query<{ index_schema: string }>(
    "SELECT index_schema FROM releases GROUP BY index_schema ORDER BY max(id) DESC",
  );
  return rows.map(({ index_schema }) => index_schema);
}

/** Records that readers are sent to this index from now on. */
export async function noteRelease({ query }: Queries, schema: string): Promise<void> {
  await query("INSERT INTO releases (index_schema) VALUES ($1)", [schema]);
}

/** Deletes what is stored about an index whose tables are dropped. */
export async function forgetIndex({ query }: Queries, schema: string): Promise<void> {
  await query("DELETE FROM releases WHERE index_schema = $1", [schema]);
  await query("DELETE FROM completed_indexes WHERE index_schema = $1", [schema]);
  await query("DELETE FROM verifications WHERE index_schema = $1", [schema]);
  await query("DELETE FROM source_comparisons WHERE index_schema = $1", [schema]);
}
