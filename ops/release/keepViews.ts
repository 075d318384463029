import { messageOf } from "../../src/api/server/postgres/databaseErrors.ts";
import { readRelease } from "../../src/api/server/serviceDb/releases.ts";
import { onOneLine } from "../commandLine/foreignText.ts";
import { type Connection, withConnection } from "./connection.ts";
import { listIndexes } from "./indexes.ts";
import { makeViews, readViewed } from "./views.ts";

/** Which index the views should show, and where they are. */
export type ViewsPlan = {
  databaseUrl: string;
  schema: string;
  viewsSchema: string;
  serviceSchema: string;
  log: { info: (line: string) => void; warn: (line: string) => void };
};

const INTERVAL_MS = 5_000;

/**
 * Creates the views over the index of our indexer once it is complete: if this index was chosen, or if none was chosen
 * and the views show no other index with a running indexer. So an operator of one index has nothing to do, and a new
 * index takes nothing away from the one beside it.
 *
 * @returns a function that stops it
 */
export function keepViews(plan: ViewsPlan): () => void {
  let logged = "";
  let timer = setTimeout(look, INTERVAL_MS);
  let isStopped = false;
  async function look() {
    const problem = await lookAfterViews(plan).then(
      () => "",
      (error: Error & { code?: string }) => (error.code === "55P03" ? "" : onOneLine(messageOf(error))),
    );
    if (problem !== "" && problem !== logged) {
      plan.log.warn(
        `The views in "${plan.viewsSchema}" could not be created; retrying in 5 seconds: ${problem}`,
      );
    }
    logged = problem;
    if (!isStopped) timer = setTimeout(look, INTERVAL_MS);
  }
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}

/** Creates the views once, if the index is complete and they do not show it yet. */
export function lookAfterViews(plan: ViewsPlan): Promise<void> {
  return withConnection(plan, (connection) => lookAfter(connection, plan));
}

async function lookAfter(connection: Connection, plan: ViewsPlan): Promise<void> {
  if (!(await findUnviewed(connection, plan))) return;
  const { schema, viewsSchema, log } = plan;
  await connection.transaction(async () => {
    const index = await findUnviewed(connection, plan); // A release may have come first.
    if (!index) return;
    await makeViews(connection, { schema, viewsSchema, tables: index.tables });
    log.info(`The views in "${viewsSchema}" show the index "${schema}".`);
  });
}

/** Our index if the views should show it and do not yet. */
async function findUnviewed(connection: Connection, { schema, viewsSchema }: ViewsPlan) {
  const viewed = await readViewed(connection, viewsSchema);
  if (viewed === schema) return null;
  const indexes = await listIndexes(connection);
  const index = indexes.find((one) => one.schema === schema);
  if (!index?.isReady || !index.isRunning) return null;
  const { active } = await readRelease(connection);
  if (indexes.some((one) => one.schema === active)) return active === schema ? index : null;
  const isTaken = indexes.some((one) => one.schema === viewed && one.isRunning);
  return isTaken ? null : index;
}
