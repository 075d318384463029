import type { Queries } from "./store.ts";

/** The schemas of the index that readers are sent to, and of the one before it; null where none was chosen. */
export type Release = { active: string | null; previous: string | null };

/** What was chosen last, and what before. */
export async function readRelease({ query }: Queries): Promise<Release> {
  const rows = await query<{ index_schema: string }>(
    "SELECT index_schema FROM releases GROUP BY index_schema ORDER BY max(id) DESC LIMIT 2",
  );
  return { active: rows[0]?.index_schema ?? null, previous: rows[1]?.index_schema ?? null };
}

/** The schemas that were ever chosen, the latest first. */
export async function listReleased({ query }: Queries): Promise<string[]> {
  const rows = await query<{ index_schema: string }>(
    "SELECT index_schema FROM releases GROUP BY index_schema ORDER BY max(id) DESC",
  );
  return rows.map(({ index_schema }) => index_schema);
}

/** Notes that readers are sent to this index from now on. */
export async function noteRelease({ query }: Queries, schema: string): Promise<void> {
  await query("INSERT INTO releases (index_schema) VALUES ($1)", [schema]);
}

/** Forgets what is kept of an index whose tables are gone. */
export async function forgetIndex({ query }: Queries, schema: string): Promise<void> {
  await query("DELETE FROM releases WHERE index_schema = $1", [schema]);
  await query("DELETE FROM completed_indexes WHERE index_schema = $1", [schema]);
}

/** Whether an index is the one that was chosen. A database that does not tell leaves what was known. */
export function activityIn(store: Queries): (schema: string) => Promise<boolean> {
  let active: string | null = null;
  return async (schema) => {
    active = await readRelease(store).then(
      (release) => release.active,
      () => active,
    );
    return active === schema;
  };
}
