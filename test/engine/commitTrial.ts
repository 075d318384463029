import { setTimeout as sleep } from "node:timers/promises";
import { onchainTable } from "ponder";
import { type CommitFault, startCommitCutter } from "../support/commitCutter.ts";
import { startRun } from "./chainRun.ts";
import { openTables } from "./trialTables.ts";

// `node commitTrial.ts <database> <fault>`: lets Ponder index blocks whose handler counts them in one row, and cuts the
// connection at the first commit. Prints the final count in the row, the number of written rows, and whether the backfill
// finished.

const [, , databaseUrl = "", fault] = process.argv;
const LAST_BLOCK = 19;

const count = onchainTable("counts", (t) => ({
  id: t.integer().primaryKey(),
  blocks: t.integer().notNull(),
}));
const seen = onchainTable("seen", (t) => ({ count: t.integer().primaryKey() }));
// The tables of the journal are in the schema that trialTables.ts names.
const { block } = await import("../../ponder.schema.ts");
const schema = { count, seen, block };

const tables = await openTables(schema);
const cutter = await startCommitCutter(databaseUrl);
const isOver = Promise.withResolvers<void>();
const run = await startRun({
  databaseUrl: cutter.url,
  finalized: LAST_BLOCK,
  follows: "blocks" as const,
  schema,
  handler: async ({ context: { db } }) => {
    const { blocks } = await db
      .insert(count)
      .values({ id: 1, blocks: 1 })
      .onConflictDoUpdate((row: { blocks: number }) => ({ blocks: row.blocks + 1 }));
    await db.insert(seen).values({ count: blocks });
  },
  onLog: (msg) => {
    if (msg === "Completed backfill indexing across all chains") isOver.resolve();
  },
});
const isCut = cutter.cutNext(fault as CommitFault, "counts");
run.ended.catch(() => {});
const ends = Promise.all([isCut, isOver.promise]).then(() => true);
const isComplete = await Promise.race([ends, sleep(60_000, false)]);
const { rows } = await tables.query(
  "select (select blocks from trial.counts), count(*)::int as rows from trial.seen",
);
process.stdout.write(JSON.stringify({ ...rows[0], isComplete }), () => process.exit());
