import { setTimeout as sleep } from "node:timers/promises";
import { noteRelease, readRelease } from "../../src/api/server/serviceDb/releases.ts";
import { CommandError } from "../commandLine/command.ts";
import type { Connection } from "./connection.ts";
import type { BuiltIndex } from "./indexes.ts";
import { makeViews, readViewed } from "./views.ts";

/** An analyst's query may take five minutes, and locks the views as long. */
const PATIENCE_MS = 360_000;
const PAUSE_MS = 1_000;

/** Sends readers to an index: its row in `releases` and all views change in one transaction. */
export async function choose(
  connection: Connection,
  index: BuiltIndex,
  { viewsSchema, log }: { viewsSchema: string; log: (line: string) => void },
): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  for (let tries = 1; ; tries++) {
    try {
      return await connection.transaction(async () => {
        await noteChoice(connection, index.schema, viewsSchema);
        await makeViews(connection, { ...index, viewsSchema });
      });
    } catch (error) {
      const { code, detail } = error as { code?: string; detail?: string };
      if (code === "2BP01") throw new CommandError(explainDependents(viewsSchema, detail));
      if (code !== "55P03" || Date.now() > deadline) throw error;
      if (tries === 1) log("Waiting for a query that uses the views.");
      await sleep(PAUSE_MS);
    }
  }
}

/** The first choice also records what readers saw before, so that `back` works. */
async function noteChoice(connection: Connection, schema: string, viewsSchema: string): Promise<void> {
  const { active } = await readRelease(connection);
  if (active === schema) return;
  const viewed = await readViewed(connection, viewsSchema);
  if (active === null && viewed !== null && viewed !== schema) await noteRelease(connection, viewed);
  await noteRelease(connection, schema);
}

const explainDependents = (viewsSchema: string, detail = ""): string =>
  `Other objects depend on the views in "${viewsSchema}", which each switch recreates. Drop them or make them use other tables, then switch again:\n${detail}`;
