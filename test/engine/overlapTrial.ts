import { setTimeout as sleep } from "node:timers/promises";
import { onchainTable } from "ponder";
import { ponderModule } from "../../engine/ponderModule.ts";
import { type CommitFault, startCommitCutter } from "../support/commitCutter.ts";
import { fillCache, startRun } from "./chainRun.ts";
import { openTables } from "./trialTables.ts";

// `node overlapTrial.ts <database> <fault> <cache bytes>`: lets Ponder index blocks in batches of ten, with a handler that reads,
// changes, appends and deletes rows. PostgreSQL is slow, and fails at some writes. Prints what the tables have in the end, how
// often a handler worked while the batch before was written, how often the tables and their checkpoint were seen to differ, and how
// long Ponder took to end where it was told to.

const [, , databaseUrl = "", fault = "none", cacheBytes = "1e9"] = process.argv;
const LAST_BLOCK = 119;
const BATCH = 10;
const FAILED = "Failed to index block range";
const LAST_LINE = "Completed backfill indexing across all chains";

/** What happened last in one of some places: handlers find and change it. */
const place = onchainTable("places", (t) => ({
  id: t.integer().primaryKey(),
  blocks: t.integer().notNull(),
  last: t.integer().notNull(),
}));
/** One row for each block, with what its handler found. */
const seen = onchainTable("seen", (t) => ({
  block: t.integer().primaryKey(),
  before: t.integer(),
  ofBlockBefore: t.integer(),
}));
const { block } = await import("../../ponder.schema.ts");
const schema = { place, seen, block };

/** What PostgreSQL does with a row or a statement of the table `seen`. */
const faults: Record<string, string> = {
  none: "",
  failed: "IF nextval('trial.writes') IN (2, 5, 7, 8) THEN RAISE EXCEPTION 'the disk is full'; END IF;",
  random: "IF random() < 0.15 THEN PERFORM pg_terminate_backend(pg_backend_pid()); END IF;",
  // A batch fails six times, and then the next one: Ponder tries each ten times.
  often:
    "IF nextval('trial.writes') IN (2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13, 14) THEN PERFORM pg_terminate_backend(pg_backend_pid()); END IF;",
  // Ponder is told to end while it waits for its next attempt.
  stopped: "IF true THEN PERFORM pg_terminate_backend(pg_backend_pid()); END IF;",
  // The last block of a batch, so that the next batch finds what is left of its row.
  refused:
    "IF EXISTS (SELECT FROM trial.seen WHERE before IS NOT NULL AND block IN (29, 69)) THEN RAISE EXCEPTION 'too large' USING ERRCODE = '22003'; END IF;",
};

/** Ends the connection of the first handler that deletes a row. */
const FIRST_DELETE_ENDS = `
  CREATE FUNCTION trial.deleted() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF nextval('trial.writes') = 1 THEN PERFORM pg_terminate_backend(pg_backend_pid()); END IF; RETURN NULL;
  END $$;
  CREATE TRIGGER deleted BEFORE DELETE ON trial.places EXECUTE FUNCTION trial.deleted()`;

/** Ends one of Ponder's connections that is in a transaction. */
const ONE_CONNECTION_ENDS = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start IS NOT NULL ORDER BY random() LIMIT 1`;

const tables = await openTables(schema);
const plan = { finalized: LAST_BLOCK, follows: "blocks" as const, schema };

// So batches are as large as they can be.
await fillCache({ ...plan, databaseUrl, schema: { block } });
await tables.query(
  `CREATE SEQUENCE trial.writes;
   CREATE FUNCTION trial.fault() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
     PERFORM pg_sleep(0.05); ${faults[fault] ?? ""} RETURN NULL;
   END $$;
   CREATE TRIGGER fault AFTER INSERT OR UPDATE ON trial.seen EXECUTE FUNCTION trial.fault()`,
);
if (fault === "stopped") await tables.query(FIRST_DELETE_ENDS);
const cutter = await startCommitCutter(databaseUrl);
const { decodeCheckpoint } = await ponderModule("utils/checkpoint.js");
const isOver = Promise.withResolvers<void>();
const failures: string[] = [];
const last = { written: -1, overlapped: 0, differed: 0, stopSeconds: 0 };

/**
 * Ends Ponder in the pause of four seconds that follows the sixth failure of the first batch. The next one was not begun at the first
 * of them, so its pause was of two seconds: it has a transaction, and waits.
 */
async function stop(): Promise<void> {
  await sleep(2_500);
  const begun = performance.now();
  await run.stop();
  last.stopSeconds = (performance.now() - begun) / 1_000;
  isOver.resolve();
}

const run = await startRun({
  ...{ ...plan, databaseUrl: cutter.url },
  options: { syncEventsQuerySize: 2 * (BATCH - 6), indexingCacheMaxBytes: Number(cacheBytes) },
  handler: async ({ event, context: { db } }) => {
    const number = Number(event.block.number);
    if (number - last.written > BATCH) last.overlapped++;
    if (fault === "stopped" && number === 0) await db.delete(place, { id: 0 });
    const id = number % 7;
    const found = await db.find(place, { id });
    const before = await db.find(seen, { block: number - 1 });
    if (number % 25 === 24) await db.delete(place, { id });
    else {
      await db
        .insert(place)
        .values({ id, blocks: 1, last: number })
        .onConflictDoUpdate((row: { blocks: number }) => ({ blocks: row.blocks + 1, last: number }));
    }
    await db
      .insert(seen)
      .values({ block: number, before: found?.last ?? null, ofBlockBefore: before?.before ?? null });
  },
  onLog: (msg) => {
    if (msg === "Indexed block range") last.written += BATCH;
    if (msg.startsWith("Failed")) failures.push(msg);
    const attempts = failures.filter((one) => one === FAILED).length;
    if (fault === "stopped" && msg === FAILED && attempts === 6) stop();
    if (msg === LAST_LINE) isOver.resolve();
  },
});
const isCut = ["lost", "unheard"].includes(fault)
  ? cutter.cutNext(fault as CommitFault, "seen")
  : Promise.resolve();
run.ended.catch((error) => {
  failures.push(String(error));
  if (fault !== "stopped") isOver.resolve();
});

/** Cuts connections and commits at any moment, until the run is over; at most three while a batch is written. */
async function disturb(): Promise<void> {
  const end = isOver.promise.then(() => true);
  const cuts = new Map<number, number>();
  await cutter.cutNext("lost", "seen");
  while (!(await Promise.race([end, sleep(100 + 400 * Math.random())]))) {
    const before = cuts.get(last.written) ?? 0;
    if (before === 3) continue;
    cuts.set(last.written, before + 1);
    const kind = Math.floor(3 * Math.random());
    if (kind === 2) await tables.query(ONE_CONNECTION_ENDS);
    else await Promise.race([end, cutter.cutNext(kind === 0 ? "lost" : "unheard", "seen")]);
  }
}
if (fault === "random") disturb();

/** A look in between sees all rows up to the checkpoint, and none after it: as a start does after a kill. */
async function look(): Promise<void> {
  const { rows } = await tables.query(
    `SELECT (SELECT latest_checkpoint FROM trial._ponder_checkpoint), count(*)::int, max(block), sum(block)::int
       FROM trial.seen`,
  );
  const [{ latest_checkpoint, count, max }] = rows;
  if (count === 0) return;
  const number = Number(decodeCheckpoint(latest_checkpoint).blockNumber);
  if (number !== max || count !== max + 1) last.differed++;
}
const isEnded = Promise.race([Promise.all([isCut, isOver.promise]), sleep(90_000)]).then(() => true);
while (!(await Promise.race([isEnded, sleep(3)]))) await look();
const places = await tables.query("SELECT * FROM trial.places ORDER BY id");
const blocks = await tables.query("SELECT * FROM trial.seen ORDER BY block");
const outcome = { ...last, failures, places: places.rows, seen: blocks.rows };
process.stdout.write(JSON.stringify(outcome), () => process.exit());
