import { onchainTable } from "ponder";
import { numberToHex } from "viem";
import { fillCache, startRun } from "../../../engine/chainRun.ts";
import { openTables } from "../../../engine/trialTables.ts";
import { printOutcome } from "./print.ts";

// Indexes blocks that are in the cache, in batches. For each block the handler appends some rows, and changes one.

const LAST_BLOCK = 3_999;
const BLOCKS_OF_BATCH = 250;
const ROWS = 30;

const name = onchainTable("names", (t) => ({
  node: t.hex().primaryKey(),
  owner: t.hex().notNull(),
  changes: t.integer().notNull(),
}));
const change = onchainTable("changes", (t) => ({
  id: t.integer().primaryKey(),
  node: t.hex().notNull(),
  owner: t.hex().notNull(),
  text: t.text().notNull(),
}));
const { block } = await import("../../../../ponder.schema.ts");
const schema = { name, change, block };

const text = "what a stranger wrote into a record ".repeat(10);
const databaseUrl = process.argv[2];
await openTables(schema);

const plan = { databaseUrl, finalized: LAST_BLOCK, follows: "blocks" as const };

// So batches are as large as they can be.
await fillCache({ ...plan, schema: { block } });

const begun = performance.now();
const run = await startRun({
  ...{ ...plan, schema, options: { syncEventsQuerySize: 2 * (BLOCKS_OF_BATCH - 6) } },
  handler: async ({ event, context: { db } }) => {
    const number = Number(event.block.number);
    for (let i = 0; i < ROWS; i++) {
      const id = number * ROWS + i;
      const node = numberToHex((id * 7_919) % 40_000, { size: 32 });
      const owner = numberToHex(id, { size: 20 });
      await db.insert(change).values({ id, node, owner, text });
      await db
        .insert(name)
        .values({ node, owner, changes: 0 })
        .onConflictDoUpdate((row: { changes: number }) => ({ owner, changes: row.changes + 1 }));
    }
  },
  onLog: (msg) => {
    if (msg === "Completed backfill indexing across all chains") {
      printOutcome((performance.now() - begun) / 1_000);
    }
  },
});
await run.ended;
