import { drizzle } from "drizzle-orm/node-postgres";
import type { Hono } from "hono";
import { contractsOf } from "../../abis/contracts.ts";
import { latestTime } from "../../devnet/acts.ts";
import type { LocalChain } from "../../devnet/localChain.ts";
import type { Endpoint } from "../../src/api/server/http/endpoint.ts";
import type { Db } from "../../src/api/server/postgres/db.ts";
import { noChain } from "../query/noChain.ts";
import { createTestApp } from "../support/app.ts";
import { openPool } from "../support/database.ts";
import schema from "../support/ponderSchema.ts";
import type { Stack } from "../support/stack.ts";

/** Operations on the tables of a running Namedex, with no node to ask, and with no labels but the index's. */
export type IndexOnly = { app: Hono; close: () => Promise<void> };

export function openIndexOnly(
  operations: readonly Endpoint[],
  { stack, local }: { stack: Stack; local: LocalChain },
): IndexOnly {
  const options = `-c search_path=${stack.schema},public`;
  const pool = openPool({ connectionString: stack.databaseUrl, options });
  const db = drizzle(pool, { schema, casing: "snake_case" }) as unknown as Db;
  const contracts = contractsOf(local.deployment);
  const createContext = async () => {
    const now = Number(await latestTime(local.chain));
    return { db, contracts, now, chainHead: async () => null, ...noChain };
  };
  return { app: createTestApp({ operations, db, createContext }), close: () => pool.end() };
}
