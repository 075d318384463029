import { setTimeout as sleep } from "node:timers/promises";
import { readRelease } from "../../src/api/serviceDb/releases.ts";
import { choose } from "./choose.ts";
import type { Connection } from "./connection.ts";
import { NotYetError, ReleaseError } from "./errors.ts";
import { findObstacle, type Obstacle } from "./fitness.ts";
import { type BuiltIndex, listIndexes } from "./indexes.ts";
import { readViewed } from "./views.ts";

/** How a switch is made. */
export type SwitchPlan = {
  schema: string;
  viewsSchema: string;
  /** Switches whatever speaks against it. */
  isForced: boolean;
  /** Waits for what passes instead of refusing. */
  isPatient: boolean;
  /** Tells what is waited for. */
  say: (line: string) => void;
};

/** Both follow the same chain: within this time an index that is current gets where the other one was. */
const CATCH_UP_MS = 10_000;
const PAUSE_MS = 500;

/**
 * Sends readers to another index once it is complete and as current as the one that they read now.
 *
 * @returns the schema that they read before; null if there was none
 * @throws NotYetError if waiting would help, ReleaseError if it would not
 */
export async function switchTo(connection: Connection, plan: SwitchPlan): Promise<string | null> {
  const { schema, viewsSchema, isForced, say } = plan;
  const { active } = await readRelease(connection);
  const before = active ?? (await readViewed(connection, viewsSchema));
  if (!isForced && before !== schema) await untilFit(connection, { ...plan, before });
  await choose(connection, await requireIndex(connection, schema), { viewsSchema, say });
  return before === schema ? null : before;
}

async function requireIndex(connection: Connection, schema: string): Promise<BuiltIndex> {
  const indexes = await listIndexes(connection);
  const index = indexes.find((one) => one.schema === schema);
  if (index !== undefined) return index;
  const known = indexes.map((one) => `"${one.schema}"`).join(", ");
  throw new ReleaseError(
    `There is no index in the schema "${schema}"; there is ${known || "none in this database"}. Build one: DATABASE_SCHEMA=${schema} PORT=... npm start`,
  );
}

type Waiting = SwitchPlan & { before: string | null };

async function untilFit(connection: Connection, { schema, before, isPatient, say }: Waiting): Promise<void> {
  let said = "";
  for (;;) {
    const obstacle = await watchForObstacle(connection, { schema, before });
    if (obstacle === null) return;
    const { reason, passes } = obstacle;
    if (!passes) throw new ReleaseError(`"${schema}" cannot take over: ${reason}. --force switches anyway.`);
    if (!isPatient) {
      const choice = "--wait waits for it, --force switches anyway";
      throw new NotYetError(`"${schema}" cannot take over yet: ${reason}. ${choice}.`);
    }
    if (said !== reason) say(`Waiting for "${schema}": ${reason}.`);
    said = reason;
    await sleep(PAUSE_MS);
  }
}

/** The other index goes on while we look: what counts is where it was when we began to. */
async function watchForObstacle(
  connection: Connection,
  { schema, before }: { schema: string; before: string | null },
): Promise<Obstacle | null> {
  const deadline = Date.now() + CATCH_UP_MS;
  const bar = (await listIndexes(connection)).find((one) => one.schema === before) ?? null;
  for (;;) {
    const index = await requireIndex(connection, schema);
    const obstacle = await findObstacle(connection, { index, before: bar });
    const isBehind = index.isReady && index.isRunning && obstacle?.passes === true;
    if (!isBehind || Date.now() > deadline) return obstacle;
    await sleep(PAUSE_MS);
  }
}
