import { monitorEventLoopDelay } from "node:perf_hooks";
import { db } from "ponder:api";
import { domain } from "ponder:schema";
import { Hono } from "hono";
import { count, eq } from "ponder";
import type { Hex } from "viem";
import { contractsOf } from "../../../../../abis/contracts.ts";
import { readSettings } from "../../../../../settings/settings.ts";
import app from "../../../../../src/api/index.ts";
import type { Ctx } from "../../../../../src/api/server/http/context.ts";
import { readInput } from "../../../../../src/api/server/http/readInput.ts";
import { systemClock } from "../../../../../src/api/server/indexState/clock.ts";
import type { Db } from "../../../../../src/api/server/postgres/db.ts";
import { operations } from "../../../../../test/support/operations.ts";

/*
 * The product's application as it is, with a few routes in front of it that only the benchmark has: what every answer is
 * held against, statistics without their cache, and what the process says of itself.
 */

const readDb: Db = db;
const contracts = contractsOf(readSettings(process.env).deployment);
const loop = monitorEventLoopDelay({ resolution: 5 });
loop.enable();

const bench = new Hono();

/** The floor: what this server takes to select one row by its primary key and to answer it as JSON. */
bench.get("/bench/floor/:node", async (c) => {
  const rows = await readDb
    .select({ node: domain.node, name: domain.fullName, owner: domain.effectiveOwnerAddress })
    .from(domain)
    .where(eq(domain.node, c.req.param("node") as Hex));
  return c.json(rows[0] ?? null);
});

bench.get("/bench/nothing", (c) => c.json({}));

bench.get("/bench/count", async (c) => c.json(await readDb.select({ count: count() }).from(domain)));

/** Statistics are kept for each database object; a new one has none kept. */
bench.get("/bench/fresh/*", async (c) => {
  const path = c.req.path.slice("/bench/fresh".length);
  const endpoint = operations.find((one) => one.path === path);
  if (endpoint === undefined) return c.notFound();
  // There is no chain, and so no answer from it either.
  const live = { recentPrimaryNames: async (asked: readonly unknown[]) => asked.map(() => undefined) };
  const ctx = { db: Object.create(readDb), contracts, now: await systemClock(), live } as unknown as Ctx;
  const caller = { address: "127.0.0.1", header: () => undefined };
  return c.json((await endpoint.handle(readInput(endpoint, {}), ctx, caller)) as object);
});

/** The longest time for which nothing else was done since the last question, and what memory is in use. */
bench.get("/bench/process", (c) => {
  const answer = { stallMs: loop.max / 1e6, ...process.memoryUsage() };
  loop.reset();
  return c.json(answer);
});

export default bench.route("/", app);
