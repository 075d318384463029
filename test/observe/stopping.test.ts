import { z } from "@hono/zod-openapi";
import { expect, test } from "vitest";
import { endpoint } from "../../src/api/server/http/endpoint.ts";
import { prepareIndexPool } from "../../src/api/server/indexState/indexPool.ts";
import { createLog } from "../../src/api/server/observe/log.ts";
import { createMeters } from "../../src/api/server/observe/meters.ts";
import { createTestApp } from "../support/app.ts";
import { createTestDatabase, openPool } from "../support/database.ts";

test("a caller being answered while the server stops is sent elsewhere, and no fault is reported", async () => {
  const database = await createTestDatabase();
  const pool = openPool({ connectionString: database.url });
  const lines: string[] = [];
  const log = createLog({ write: (line) => lines.push(line) });
  const meters = createMeters();
  prepareIndexPool(pool);
  let ended: Promise<void> | undefined;
  const operation = endpoint({
    method: "get",
    path: "/two",
    group: "System",
    summary: "Two queries",
    reply: z.strictObject({}),
    cost: 0,
    handle: async () => {
      await pool.query("select 1");
      ended = pool.end();
      await pool.query("select 2");
      return {};
    },
  });
  const app = createTestApp({ operations: [operation], observer: { meters, log, requestLog: "failed" } });
  const reply = await app.request("/two");
  await ended;
  await database.drop();
  expect(reply.status).toBe(503);
  expect(reply.headers.get("retry-after")).toBe("1");
  expect(await reply.json()).toMatchObject({ error: { code: "INDEX_NOT_READY" } });
  expect(lines.join("")).not.toContain("request failed");
});
