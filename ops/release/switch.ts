import { setTimeout as sleep } from "node:timers/promises";
import { readRelease } from "../../src/api/server/serviceDb/releases.ts";
import { CommandError } from "../commandLine/command.ts";
import { choose } from "./choose.ts";
import type { Connection } from "./connection.ts";
import { findObstacle, type Obstacle } from "./fitness.ts";
import { type BuiltIndex, listIndexes } from "./indexes.ts";
import { readViewed } from "./views.ts";

/** The index has to catch up first. The same command can succeed later. */
export class NotYetError extends CommandError {
  override readonly name = "NotYetError";
}

/** How to switch. */
export type SwitchPlan = {
  schema: string;
  viewsSchema: string;
  /** Switches without checking the index. */
  isForced: boolean;
  /** Waits for obstacles that pass, instead of refusing. */
  isPatient: boolean;
  log: (line: string) => void;
};

/** Both indexes follow the same chain: a current one reaches the block of the other within this time. */
const CATCH_UP_MS = 10_000;
const PAUSE_MS = 500;

/**
 * Sends readers to another index once it is complete and as current as the one they read now.
 *
 * @returns the schema that they read before; null if there was none
 * @throws NotYetError if waiting helps, CommandError if it does not
 */
export async function switchTo(connection: Connection, plan: SwitchPlan): Promise<string | null> {
  const { schema, viewsSchema, isForced, log } = plan;
  const { active } = await readRelease(connection);
  const before = active ?? (await readViewed(connection, viewsSchema));
  if (!isForced && before !== schema) await untilFit(connection, { ...plan, before });
  await choose(connection, await requireIndex(connection, schema), { viewsSchema, log });
  return before === schema ? null : before;
}

const findIndex = async (connection: Connection, schema: string): Promise<BuiltIndex | undefined> =>
  (await listIndexes(connection)).find((one) => one.schema === schema);

/** Its indexer may be started after this program. */
const notThere = (schema: string): Obstacle => ({
  reason: `the schema has no index yet (start its indexer: DATABASE_SCHEMA=${schema} PORT=... npm start)`,
  passes: true,
});

async function requireIndex(connection: Connection, schema: string): Promise<BuiltIndex> {
  const indexes = await listIndexes(connection);
  const index = indexes.find((one) => one.schema === schema);
  if (index !== undefined) return index;
  const known = indexes.map((one) => `"${one.schema}"`).join(", ");
  throw new CommandError(
    `Schema "${schema}" has no index. Existing indexes: ${known || "none"}. Build one with: DATABASE_SCHEMA=${schema} PORT=... npm start`,
  );
}

type Waiting = SwitchPlan & { before: string | null };

async function untilFit(connection: Connection, { schema, before, isPatient, log }: Waiting): Promise<void> {
  let logged = "";
  for (;;) {
    const obstacle = await watchForObstacle(connection, { schema, before, isPatient });
    if (obstacle === null) return;
    const { reason, passes } = obstacle;
    if (!passes)
      throw new CommandError(`Cannot switch to "${schema}": ${reason}. Use --force to switch anyway.`);
    if (!isPatient) {
      const choice = "Use --wait to wait for it, or --force to switch anyway";
      throw new NotYetError(`Cannot switch to "${schema}" yet: ${reason}. ${choice}.`);
    }
    if (logged !== reason) log(`Waiting for "${schema}": ${reason}.`);
    logged = reason;
    await sleep(PAUSE_MS);
  }
}

/** The other index advances meanwhile: its block at the start of the watch counts. */
async function watchForObstacle(
  connection: Connection,
  { schema, before, isPatient }: { schema: string; before: string | null; isPatient: boolean },
): Promise<Obstacle | null> {
  const deadline = Date.now() + CATCH_UP_MS;
  const bar = (await listIndexes(connection)).find((one) => one.schema === before) ?? null;
  for (;;) {
    const index = isPatient ? await findIndex(connection, schema) : await requireIndex(connection, schema);
    if (index === undefined) return notThere(schema);
    const obstacle = await findObstacle(connection, { index, before: bar });
    const isBehind = index.isReady && index.isRunning && obstacle?.passes === true;
    if (!isBehind || Date.now() > deadline) return obstacle;
    await sleep(PAUSE_MS);
  }
}
