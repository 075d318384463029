import pg from "pg";
import { journalChannel } from "../../../../engine/blocks/sql.ts";
import { workerName } from "../../../../engine/ponderInternals.ts";
import type { LifeRules } from "../../names/rules/life.ts";
import { pairLocks } from "../../server/postgres/advisoryLocks.ts";
import { findDatabaseError, isDatabaseAway } from "../../server/postgres/databaseErrors.ts";
import { createBell, onOwnConnection } from "../../server/postgres/lockedWork.ts";
import { workInTurns } from "../../server/scheduling/repeated.ts";
import { advanceFeed, type Outcome } from "./advance.ts";
import { healFeed } from "./heal.ts";
import { beginEpoch, removeFeed } from "./install.ts";
import { type Retention, removeOld } from "./retention.ts";

export type WriterPlan = {
  databaseUrl: string;
  /** Schema of the index. */
  schema: string;
  rules: LifeRules;
  retention: Retention;
  /** Schema of the index to which readers are sent; null where none was ever chosen. */
  active: () => Promise<string | null>;
  log: (line: string, level?: "warn" | "error") => void;
};

/** Notifications can be lost: the tables are looked at this often without one. */
const LOOK_MS = 2_000;
/** How long a process waits before it tries again to be the writer. */
const TRY_MS = 5_000;
const RETENTION_MS = 60_000;

/** A look at tables that are changed meanwhile is made again. Source: PostgreSQL's documentation, appendix A. */
const AGAIN = ["55P03", "40P01", "40001"];

/**
 * Writes the feed of an index. Every API process tries, and a lock admits one: so the feed has one writer, and another
 * process takes over when it ends. Nothing waits for it: unseen writes are recorded in tables.
 */
export const startFeed = (plan: WriterPlan): Running => workAsWriter(plan, follow);

/** Removes the feed's tables and triggers, in the one process that may write it, so that writes of the index are no longer noted. */
export const clearFeed = (plan: WriterPlan): Running => workAsWriter(plan, clear);

type Running = { stop: () => Promise<void> };

function workAsWriter(
  plan: WriterPlan,
  work: (client: pg.Client, plan: WriterPlan, stopped: AbortSignal) => Promise<void>,
): Running {
  return workInTurns({
    pauseMs: TRY_MS,
    onError: (error) =>
      plan.log(
        `The feed of changes failed and goes on in a while: ${error.message}`,
        isDatabaseAway(error) ? "warn" : "error",
      ),
    turn: (stopped) => {
      const { databaseUrl, schema } = plan;
      const options = `-c search_path="${schema}" -c jit=off`;
      const connection = { databaseUrl, applicationName: workerName(schema, "feed"), stopped, options };
      // Where the connection is lost, the running query fails and says so, and the next turn connects again.
      return onOwnConnection(connection, async (client) => {
        if (await mayWrite(client, schema)) await work(client, plan, stopped);
      });
    },
  });
}

/**
 * Whether this process may and does hold the lock. A role that only reads the index, and one that reads it from a standby, leaves the
 * feed to the indexer's process.
 */
async function mayWrite(client: pg.Client, schema: string): Promise<boolean> {
  const { rows } = await client.query<{ may: boolean | null }>(
    `select case when not pg_is_in_recovery() and pg_has_role(relowner, 'usage') then pg_try_advisory_lock($1, hashtext($2)) end as may
     from pg_class where oid = to_regclass('domains')`,
    [pairLocks.feed, schema],
  );
  return rows[0]?.may ?? false;
}

/** Writes the feed until the connection ends or the process stops. */
async function follow(client: pg.Client, plan: WriterPlan, signal: AbortSignal): Promise<void> {
  const news = createBell(client, signal);
  await client.query(`listen ${pg.escapeIdentifier(journalChannel(plan.schema))}`);
  let tidiedAt = 0;
  while (!signal.aborted) {
    const heard = news.next(LOOK_MS);
    const hasFeed = await look(client, plan);
    if (hasFeed && Date.now() - tidiedAt > RETENTION_MS) {
      if (!(await removeOld(client, plan.retention))) tidiedAt = Date.now();
    }
    await heard;
  }
}

/** Removes the feed, and stays the writer: no other process begins one. */
async function clear(client: pg.Client, { schema }: WriterPlan, signal: AbortSignal): Promise<void> {
  const bell = createBell(client, signal);
  while (!(await removeFeed(client, schema)) && !signal.aborted) await bell.next(LOOK_MS);
  while (!signal.aborted) await bell.next(RETENTION_MS);
}

/** One look: {@link lookAtFeed}. @returns whether there is a feed to continue */
async function look(client: pg.Client, plan: WriterPlan): Promise<boolean> {
  try {
    return (await lookAtFeed(client, plan)) === "advanced";
  } catch (error) {
    if (findDatabaseError(error, AGAIN) === null) throw error;
    return false;
  }
}

/** Brings the feed to the state of the tables: see {@link startFeed}. @throws Error of the database */
export async function lookAtFeed(
  client: pg.ClientBase,
  { schema, rules, active, log }: Omit<WriterPlan, "databaseUrl" | "retention">,
): Promise<Outcome> {
  const onLeftOut = (row: string, { message }: Error) =>
    log(`The feed of changes leaves out a row that it cannot hold (${row}): ${message}`, "error");
  const outcome = await advanceFeed(client, rules, onLeftOut);
  const healing = outcome === "gap" ? await healFeed(client, { schema, rules, onLeftOut }) : null;
  if (healing === "healed") {
    log("A gap in the feed of changes was healed.");
    return "advanced";
  }
  const isLost = outcome === "lost" || healing === "lost";
  if (isLost && (await beginEpoch(client, schema, await active())))
    log("The feed of changes begins an epoch.");
  return outcome;
}
