import { z } from "@hono/zod-openapi";
import type pg from "pg";
import { sql } from "ponder";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { Ctx } from "../../src/api/http/context.ts";
import { endpoint } from "../../src/api/http/endpoint.ts";
import { type ConsistentRead, createConsistentRead } from "../../src/api/indexState/consistentRead.ts";
import { createLog } from "../../src/api/observe/log.ts";
import { createMeters } from "../../src/api/observe/meters.ts";
import { observedOperation } from "../../src/api/observe/operations.ts";
import { watchQueries } from "../../src/api/observe/queries.ts";
import { CHAIN_ID } from "../query/rows.ts";
import { createTables, setProgress, type Tables } from "../query/tables.ts";
import { openPool } from "../support/database.ts";

let tables: Tables;
/** Another process, as the indexer is: its queries are not the operation's. */
let indexer: pg.Pool;
let oneBlock: ConsistentRead;
let seen: string[] = [];

beforeAll(async () => {
  tables = await createTables({ onQuery: (text) => seen.push(text) });
  watchQueries(tables.pool, { log: createLog({ write: () => {} }), meters: createMeters(), slowMs: 60_000 });
  indexer = openPool({ connectionString: tables.databaseUrl, max: 1 });
  oneBlock = createConsistentRead(tables.db);
  await index(1);
});
afterEach(() => {
  seen = [];
});
afterAll(async () => {
  await indexer.end();
  await tables.drop();
});

/** Indexes a block, as Ponder does with each. */
const index = (block: number) =>
  setProgress({ pool: indexer }, { chainId: CHAIN_ID, block, time: 1_700_000_000 });

const readBlock = async ({ db }: Ctx): Promise<number> => {
  const { rows } = await db.execute<{ block: string }>(
    sql`select substr(latest_checkpoint, 27, 16) as block from _ponder_checkpoint`,
  );
  return Number(rows[0]?.block);
};

/** Answers with what it read; `between` runs after each read. */
function answering(reads: number, between: () => Promise<void> = async () => {}) {
  const operation = endpoint({
    method: "get",
    path: "/blocks",
    group: "System",
    summary: "Blocks that were read",
    reply: z.array(z.number()),
    cost: 0,
    handle: async (_input, ctx) => {
      const blocks: number[] = [];
      for (let i = 0; i < reads; i++) {
        blocks.push(await readBlock(ctx));
        await between();
      }
      return blocks;
    },
  });
  const observed = observedOperation(oneBlock(operation), createMeters());
  return () => observed.handle({}, { db: tables.db } as Ctx, {} as never);
}

const versionsRead = () => seen.filter((text) => text.includes("pg_trigger")).length;

test("an answer that straddles a block is read again", async () => {
  let block = 100;
  const ask = answering(2, async () => {
    if (block < 102) await index(++block);
  });
  expect(await ask()).toEqual([102, 102]);
});

test("where a block comes at every turn, a snapshot answers", async () => {
  let block = 200;
  const ask = answering(2, () => index(++block));
  const [first, second] = (await ask()) as number[];
  expect(first).toBe(second);
  expect(block).toBe(206);
});

test("an answer of one query is of one state of the tables by itself, and not checked", async () => {
  let block = 300;
  const ask = answering(1, () => index(++block));
  await ask();
  expect(block).toBe(301);
  seen = [];
  expect(await ask()).toEqual([301]);
  expect(versionsRead()).toBe(0);
});

test("an answer of two queries is checked, whichever came before it", async () => {
  const one = answering(1);
  const two = answering(2);
  await two();
  seen = [];
  await Promise.all([one(), two(), one()]);
  expect(versionsRead()).toBe(1);
});
