import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestDatabase } from "../support/database.ts";
import { cuttingServer, outcomeOf, type Pools, quietLog } from "./cutConnections.ts";
import { ponderModule } from "./ponders.ts";

let careful: Pools;
let cutting: Awaited<ReturnType<typeof cuttingServer>>;

beforeAll(async () => {
  careful = (await ponderModule("utils/pg.js")) as Pools;
  cutting = await cuttingServer();
});
afterAll(() => void cutting.close());

describe.each(["createPool", "createReadonlyPool"] as const)("%s", (kind) => {
  const open = (pools: Pools, connectionString: string) =>
    pools[kind]({ connectionString, max: 2 }, quietLog, "public");

  test("a caller waiting for a connection fails if it is cut while being made, and the pool keeps its place", async () => {
    const pool = open(careful, cutting.url);
    for (let i = 0; i < 4; i++) expect(await outcomeOf(pool)).toMatch(/Connection terminated/);
    expect([pool.totalCount, pool.waitingCount]).toEqual([0, 0]);
  });

  test("makes connections as before", async () => {
    const database = await createTestDatabase();
    const pool = open(careful, database.url);
    expect(await outcomeOf(pool)).toBe("answered");
    await pool.end();
    await database.drop();
  });
});

test("commits of the indexer wait for the disk", async () => {
  const database = await createTestDatabase();
  const pool = careful.createPool({ connectionString: database.url, max: 1 }, quietLog);
  const { rows } = await pool.query("show synchronous_commit");
  await pool.end();
  expect(rows).toEqual([{ synchronous_commit: "on" }]);
  await database.drop();
});
