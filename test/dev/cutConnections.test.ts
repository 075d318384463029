import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { failCutConnections } from "../../src/api/cutConnections.ts";
import { createTestDatabase } from "../support/database.ts";

const poolsFile = fileURLToPath(new URL("../../node_modules/ponder/dist/esm/utils/pg.js", import.meta.url));

type Pools = { createReadonlyPool: (config: pg.PoolConfig, log: object, schema: string) => pg.Pool };

/** A server that cuts each connection at the first word, as one does that is being killed. */
const cutting = createServer((socket) => void socket.once("data", () => socket.end()));
const quiet = { warn: () => {}, debug: () => {}, trace: () => {} };

let createPool: (connectionString: string) => pg.Pool;
let cuttingUrl: string;

beforeAll(async () => {
  const { createReadonlyPool } = (await import(poolsFile)) as Pools;
  createPool = (connectionString) => createReadonlyPool({ connectionString, max: 2 }, quiet, "public");
  cutting.listen(0, "127.0.0.1");
  await once(cutting, "listening");
  cuttingUrl = `postgresql://me@127.0.0.1:${(cutting.address() as AddressInfo).port}/x`;
});
afterAll(() => void cutting.close());

const outcomeOf = (pool: pg.Pool) =>
  Promise.race([
    pool.query("select 1").then(
      () => "answered",
      (error: Error) => error.message,
    ),
    sleep(1_000).then(() => "waits"),
  ]);

test("a connection that is cut while it is made fails whoever waits for it, and keeps no place in the pool", async () => {
  const pool = createPool(cuttingUrl);
  failCutConnections(pool);
  for (let i = 0; i < 4; i++)
    expect(await outcomeOf(pool)).toMatch(/ended the connection before it was made/);
  expect([pool.totalCount, pool.waitingCount]).toEqual([0, 0]);
});

test("Ponder's own pool waits: the day it does not, ours has no need to differ", async () => {
  expect(await outcomeOf(createPool(cuttingUrl))).toBe("waits");
});

test("connections that are made answer as before", async () => {
  const database = await createTestDatabase();
  const pool = createPool(database.url);
  failCutConnections(pool);
  expect(await outcomeOf(pool)).toBe("answered");
  await pool.end();
  await database.drop();
});
