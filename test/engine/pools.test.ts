import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { failedConnect } from "../../engine/changes/failedConnect.ts";
import { synchronousCommit } from "../../engine/changes/synchronousCommit.ts";
import { registerChanges } from "../../engine/register.ts";
import { createTestDatabase } from "../support/database.ts";

const poolsFile = fileURLToPath(new URL("../../node_modules/ponder/dist/esm/utils/pg.js", import.meta.url));

type CreatePool = (config: pg.PoolConfig, log: object, schema?: string) => pg.Pool;
type Pools = { createPool: CreatePool; createReadonlyPool: CreatePool };

/** A server that cuts each connection at the first word, as one does that is being killed. */
const cutting = createServer((socket) => void socket.once("data", () => socket.end()));
const quiet = { warn: () => {}, debug: () => {}, trace: () => {} };

let careless: Pools;
let careful: Pools;
let cuttingUrl: string;

beforeAll(async () => {
  careless = (await import(poolsFile)) as Pools;
  registerChanges([synchronousCommit, failedConnect]);
  careful = (await import(`${poolsFile}?careful`)) as Pools;
  cutting.listen(0, "127.0.0.1");
  await once(cutting, "listening");
  cuttingUrl = `postgresql://me@127.0.0.1:${(cutting.address() as AddressInfo).port}/x`;
});
afterAll(() => void cutting.close());

const outcomeOf = (pool: pg.Pool, patience = 60_000) =>
  Promise.race([
    pool.query("select 1").then(
      () => "answered",
      (error: Error) => error.message,
    ),
    sleep(patience, "waits", { ref: false }),
  ]);

describe.each(["createPool", "createReadonlyPool"] as const)("%s", (kind) => {
  const open = (pools: Pools, connectionString: string) =>
    pools[kind]({ connectionString, max: 2 }, quiet, "public");

  test("a caller that waits for a connection fails if it is cut while it is made, and the pool keeps its place", async () => {
    const pool = open(careful, cuttingUrl);
    for (let i = 0; i < 4; i++) expect(await outcomeOf(pool)).toMatch(/Connection terminated/);
    expect([pool.totalCount, pool.waitingCount]).toEqual([0, 0]);
  });

  test("the caller of Ponder's own pool waits forever, so the change is still needed", async () => {
    expect(await outcomeOf(open(careless, cuttingUrl), 1_000)).toBe("waits");
  });

  test("makes connections as before", async () => {
    const database = await createTestDatabase();
    const pool = open(careful, database.url);
    expect(await outcomeOf(pool)).toBe("answered");
    await pool.end();
    await database.drop();
  });
});

test("commits of the indexer wait for the disk, as Ponder's own do not", async () => {
  const database = await createTestDatabase();
  const settings = [careful, careless].map(async ({ createPool }) => {
    const pool = createPool({ connectionString: database.url, max: 1 }, quiet);
    const { rows } = await pool.query("show synchronous_commit");
    await pool.end();
    return rows[0].synchronous_commit;
  });
  expect(await Promise.all(settings)).toEqual(["on", "off"]);
  await database.drop();
});
