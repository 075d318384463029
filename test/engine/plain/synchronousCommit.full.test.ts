import { test } from "vitest";
import { createTestDatabase } from "../../support/database.ts";
import { type Pools, quietLog } from "../cutConnections.ts";
import { ponderModule } from "../ponders.ts";
import { expectFault } from "./fault.ts";

test("commits of the indexer do not wait for the disk", async () => {
  const { createPool } = (await ponderModule("utils/pg.js")) as Pools;
  const database = await createTestDatabase();
  const pool = createPool({ connectionString: database.url, max: 1 }, quietLog);
  const { rows } = await pool.query("show synchronous_commit");
  await pool.end();
  await database.drop();
  expectFault("synchronousCommit", rows[0].synchronous_commit === "off");
});
