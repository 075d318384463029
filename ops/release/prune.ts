import { forgetIndex, listReleased } from "../../src/api/server/serviceDb/releases.ts";
import { CommandError } from "../commandLine/command.ts";
import type { Connection } from "./connection.ts";
import { type BuiltIndex, listIndexes } from "./indexes.ts";

/** Why an index stays; null if it can be dropped. */
export function reasonToKeep(
  { schema, isRunning, connections }: BuiltIndex,
  released: readonly string[],
): string | null {
  if (released[0] === schema) return "it is active";
  if (released.includes(schema)) return "it was active before, so `back` needs it";
  if (isRunning) return "an indexer writes it";
  if (connections > 0)
    return `${connections} ${connections === 1 ? "connection reads" : "connections read"} it (npm run serve?)`;
  return null;
}

/**
 * Drops the indexes that are not in use: not among those chosen last, and not written or read by a running process. Looks
 * at indexes of Namedex only. Ponder's cache of past events stays: it makes the next build quick.
 *
 * @param keep how many of the indexes that were chosen last stay: 1 only the active one, 2 also the one before
 * @returns what was dropped
 */
export async function prune(
  connection: Connection,
  { keep, log }: { keep: number; log: (line: string) => void },
): Promise<BuiltIndex[]> {
  const released = (await listReleased(connection)).slice(0, keep);
  if (released.length === 0) {
    throw new CommandError(
      "No index has been chosen yet. Choose the one to keep: npm run release -- switch SCHEMA",
    );
  }
  const dropped: BuiltIndex[] = [];
  for (const index of await listIndexes(connection)) {
    const reason = reasonToKeep(index, released);
    if (reason !== null) log(`Keeping "${index.schema}": ${reason}.`);
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
