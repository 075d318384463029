import type pg from "pg";
import { missingIndexesIn, type OwnIndex, ownIndexes } from "./indexes.ts";

/** Where to build, and whom to tell. */
export type BuildTarget = { client: pg.ClientBase; schema: string; say: (line: string) => void };

/** Names of the indexes that are not there yet, or not whole. */
export async function listMissingIndexes({ client, schema }: Omit<BuildTarget, "say">): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(missingIndexesIn("$1"), [schema]);
  return rows.map(({ name }) => name);
}

/**
 * Builds the indexes that are missing, one after the other, while the indexer goes on writing. What a build that broke
 * off left behind is dropped first: it is written to, and of no use to readers. The caller holds the lock by which one
 * process at a time builds.
 */
export async function buildIndexes(site: BuildTarget): Promise<void> {
  const missing = await listMissingIndexes(site);
  for (const [i, index] of ownIndexes.filter(({ name }) => missing.includes(name)).entries()) {
    await buildIndex(site, index, `${i + 1} of ${missing.length}`);
  }
}

async function buildIndex(
  { client, schema, say }: BuildTarget,
  index: OwnIndex,
  place: string,
): Promise<void> {
  const { name, table, definition } = index;
  say(`Building the index ${name} (${place}); until it is there, some answers take longer.`);
  const started = performance.now();
  await client.query(`drop index concurrently if exists "${schema}"."${name}"`);
  await client.query(`create index concurrently "${name}" on "${schema}"."${table}" ${definition}`);
  say(`Built the index ${name} in ${Math.round((performance.now() - started) / 1_000)} s.`);
}
