import { hasCountersOfItsDeployment } from "../../src/api/names/counts/maintain.ts";
import { listMissingIndexes } from "../../src/api/upkeep/build.ts";
import type { Connection } from "./connection.ts";
import type { BuiltIndex } from "./indexes.ts";

/** Why readers should not be sent to an index; `passes` if this can change without the operator. */
export type Obstacle = { reason: string; passes: boolean };

/**
 * Finds the first reason not to send readers to an index.
 *
 * @param before the index that they read now, as it was a moment ago; null if there is none
 */
export async function findObstacle(
  connection: Connection,
  { index, before }: { index: BuiltIndex; before: BuiltIndex | null },
): Promise<Obstacle | null> {
  if (!index.isRunning) {
    const remedy = `start it: DATABASE_SCHEMA=${index.schema} PORT=... npm start`;
    return { reason: `no indexer keeps it current (${remedy})`, passes: true };
  }
  if (!index.isReady) return { reason: "its backfill is not complete", passes: true };
  return (await findUnbuilt(connection, index)) ?? findLag(index, before);
}

/** Without these it would answer slowly: see src/api/upkeep. */
async function findUnbuilt({ client }: Connection, { schema }: BuiltIndex): Promise<Obstacle | null> {
  const missing = await listMissingIndexes({ client, schema });
  if (missing.length > 0) return { reason: `it is still building ${missing.join(", ")}`, passes: true };
  const isCounted = await hasCountersOfItsDeployment({ client, schema: `"${schema}"` });
  return isCounted ? null : { reason: "it is still counting names", passes: true };
}

function findLag({ chains }: BuiltIndex, before: BuiltIndex | null): Obstacle | null {
  for (const { chainId, chainName, blockNumber } of before?.chains ?? []) {
    const own = chains.find((chain) => chain.chainId === chainId);
    if (own === undefined) {
      return { reason: `it does not index ${chainName}, which "${before?.schema}" does`, passes: false };
    }
    if (own.blockNumber < blockNumber) {
      const there = `"${before?.schema}" is at ${blockNumber}`;
      return { reason: `it is at block ${own.blockNumber} of ${chainName}, ${there}`, passes: true };
    }
  }
  return null;
}
