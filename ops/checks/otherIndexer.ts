import { setTimeout as sleep } from "node:timers/promises";
import { readLock } from "../../engine/ponderInternals.ts";
import { queriesOf, withClient } from "../../src/api/server/postgres/client.ts";
import { UnavailableError } from "../commandLine/exitCodes.ts";

type Plan = { databaseUrl: string; schema: string };

const LOOK_MS = 1_000;

/**
 * Refuses a second indexer on a schema. One that was killed leaves its lock: then this waits until the lock ends, at most 30
 * seconds, for a sign of life.
 *
 * @param say gets a line if it has to wait
 * @throws UnavailableError that names the living indexer
 */
export async function requireNoOtherIndexer(
  { databaseUrl, schema }: Plan,
  say: (line: string) => void,
): Promise<void> {
  await withClient({ connectionString: databaseUrl }, async (client) => {
    const { query } = queriesOf(client);
    const first = await readLock(query, schema);
    if (first === null) return;
    const { buildId } = first;
    say(
      `Schema "${schema}" is locked by an indexer (build ${buildId}), last seen ${first.silentSeconds} s ago. Waiting to see whether it is alive.`,
    );
    for (let lock: typeof first | null = first; lock !== null; lock = await readLock(query, schema)) {
      if (lock.seenAt !== first.seenAt) {
        throw new UnavailableError(
          `DATABASE_SCHEMA: a running indexer (build ${buildId}) writes "${schema}"; it was last seen ${lock.silentSeconds} s ago. Stop it first, or choose another schema`,
        );
      }
      await sleep(LOOK_MS);
    }
  });
}
