import { setTimeout as sleep } from "node:timers/promises";
import { onchainTable } from "ponder";
import { ponderModule } from "../../engine/ponderModule.ts";
import { type CommitFault, startCommitCutter } from "../support/commitCutter.ts";
import { fillCache, startRun } from "./chainRun.ts";
import { openTables } from "./trialTables.ts";

// `node overlapTrial.ts <database> <fault> <cache bytes>`: lets Ponder index blocks in batches of ten, with a handler that reads,
// changes, appends and deletes rows. PostgreSQL is slow, and fails at some writes. Prints what the tables have in the end, how
// often a handler worked while the batch before was written, and how often the tables and their checkpoint were seen to differ.

const [, , databaseUrl = "", fault = "none", cacheBytes = "1e9"] = process.argv;
const LAST_BLOCK = 119;
const BATCH = 10;
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
  // The last block of a batch, so that the next batch finds what is left of its row.
  refused:
    "IF EXISTS (SELECT FROM trial.seen WHERE before IS NOT NULL AND block IN (29, 69)) THEN RAISE EXCEPTION 'too large' USING ERRCODE = '22003'; END IF;",
};

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
const cutter = await startCommitCutter(databaseUrl);
const { decodeCheckpoint } = await ponderModule("utils/checkpoint.js");
const isOver = Promise.withResolvers<void>();
const failures: string[] = [];
const last = { written: -1, overlapped: 0, differed: 0 };

const run = await startRun({
  ...{ ...plan, databaseUrl: cutter.url },
  options: { syncEventsQuerySize: 2 * (BATCH - 6), indexingCacheMaxBytes: Number(cacheBytes) },
  handler: async ({ event, context: { db } }) => {
    const number = Number(event.block.number);
    if (number - last.written > BATCH) last.overlapped++;
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
    if (msg === LAST_LINE) isOver.resolve();
  },
});
const isCut = ["lost", "unheard"].includes(fault)
  ? cutter.cutNext(fault as CommitFault, "seen")
  : Promise.resolve();
run.ended.catch((error) => {
  failures.push(String(error));
  isOver.resolve();
});

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
