import type pg from "pg";
import { missingIndexesIn, type OwnIndex, ownIndexes } from "./indexes.ts";

/** Where to build, and a log. */
export type BuildTarget = { client: pg.ClientBase; schema: string; log: (line: string) => void };

/** Names of the indexes that do not exist yet, or are not valid. */
export async function listMissingIndexes({ client, schema }: Omit<BuildTarget, "log">): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(missingIndexesIn("$1"), [schema]);
  return rows.map(({ name }) => name);
}

/**
 * Builds the missing indexes in turn, while the indexer continues to write. An invalid index, left by an interrupted
 * build, is dropped first: PostgreSQL maintains it, but no reader can use it. Statistics about an index's expressions
 * come with those of its table. The caller holds the lock that lets one process build at a time.
 */
export async function buildIndexes(target: BuildTarget): Promise<void> {
  const missing = await listMissingIndexes(target);
  const building = ownIndexes.filter(({ name }) => missing.includes(name));
  for (const [i, index] of building.entries()) {
    await buildIndex(target, index, `${i + 1} of ${missing.length}`);
  }
  for (const table of new Set(building.map((index) => index.table))) {
    await target.client.query(`analyze "${target.schema}"."${table}"`);
  }
}

async function buildIndex(
  { client, schema, log }: BuildTarget,
  index: OwnIndex,
  place: string,
): Promise<void> {
  const { name, table, definition } = index;
  log(`Building index ${name} (${place}). Some answers are slower until it is ready.`);
  const started = performance.now();
  await client.query(`drop index concurrently if exists "${schema}"."${name}"`);
  await client.query(`create index concurrently "${name}" on "${schema}"."${table}" ${definition}`);
  log(`Built index ${name} in ${Math.round((performance.now() - started) / 1_000)} s.`);
}
