import { forgetIndex, listReleased } from "../../src/api/serviceDb/releases.ts";
import type { Connection } from "./connection.ts";
import { ReleaseError } from "./errors.ts";
import { type BuiltIndex, listIndexes } from "./indexes.ts";

/** Why an index stays; null if nothing speaks for it. */
export function reasonToKeep(
  { schema, isRunning, connections }: BuiltIndex,
  kept: readonly string[],
): string | null {
  if (kept[0] === schema) return "readers are sent to it";
  if (kept.includes(schema)) return "it was chosen before: the way back";
  if (isRunning) return "an indexer writes it";
  if (connections > 0) return `${connections} connections read it (npm run serve?)`;
  return null;
}

/**
 * Drops the indexes that nobody needs: neither among those chosen last, nor written or read by a living process. Only
 * indexes of Namedex are looked at; the engine's cache of past events, which makes the next build quick, is none.
 *
 * @param keep how many of the indexes that were chosen last stay: 1 the active one, 2 the one before as well
 * @returns what was dropped
 */
export async function prune(
  connection: Connection,
  { keep, say }: { keep: number; say: (line: string) => void },
): Promise<BuiltIndex[]> {
  const kept = (await listReleased(connection)).slice(0, keep);
  if (kept.length === 0) {
    throw new ReleaseError("No index was chosen yet: npm run release -- switch SCHEMA says which one stays.");
  }
  const dropped: BuiltIndex[] = [];
  for (const index of await listIndexes(connection)) {
    const reason = reasonToKeep(index, kept);
    if (reason !== null) say(`"${index.schema}" stays: ${reason}.`);
    else {
      await drop(connection, index.schema);
      dropped.push(index);
    }
  }
  return dropped;
}

const drop = (connection: Connection, schema: string): Promise<void> =>
  connection.transaction(async () => {
    await connection.query(`DROP SCHEMA "${schema}" CASCADE`);
    await forgetIndex(connection, schema);
  });
