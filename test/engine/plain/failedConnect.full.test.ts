import { test } from "vitest";
import { cuttingServer, outcomeOf, type Pools, quietLog } from "../cutConnections.ts";
import { ponderModule } from "../ponders.ts";
import { expectFault } from "./fault.ts";

test.each(["createPool", "createReadonlyPool"] as const)(
  "the caller of %s waits forever for a connection that is cut while it is made",
  async (kind) => {
    const pools = (await ponderModule("utils/pg.js")) as Pools;
    const server = await cuttingServer();
    const pool = pools[kind]({ connectionString: server.url, max: 2 }, quietLog, "public");
    const outcome = await outcomeOf(pool, 1_000);
    server.close();
    expectFault("failedConnect", outcome === "waits");
  },
);
