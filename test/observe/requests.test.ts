import { z } from "@hono/zod-openapi";
import { beforeEach, expect, test } from "vitest";
import { input } from "../../src/api/names/schemas/input.ts";
import { endpoint } from "../../src/api/server/http/endpoint.ts";
import { createLog } from "../../src/api/server/observe/log.ts";
import { createMeters, type Meters } from "../../src/api/server/observe/meters.ts";
import { watchQueries } from "../../src/api/server/observe/queries.ts";
import type { RequestLog } from "../../src/api/server/observe/requests.ts";
import { brokenOperation, createTestApp } from "../support/app.ts";

const pool = {
  query: async (_text: string, _values?: unknown[]) => new Promise((done) => setTimeout(done, 15)),
};

const slow = endpoint({
  method: "get",
  path: "/slow/{name}",
  group: "System",
  summary: "Slow",
  params: z.object({ name: input.name() }),
  reply: z.strictObject({}),
  errors: ["INVALID_NAME"],
  cost: 0,
  handle: async ({ name }) => {
    await pool.query("select * from domains where full_name = $1", [name.name]);
    return {};
  },
});

let lines: Record<string, unknown>[];
let text: string;
let meters: Meters;

beforeEach(() => {
  lines = [];
  text = "";
  meters = createMeters();
});

function appWith(requestLog: RequestLog) {
  const write = (line: string) => {
    text += line;
    lines.push(JSON.parse(line));
  };
  const log = createLog({ write });
  const watched = { ...pool };
  watchQueries(watched, { log, meters, slowMs: 10 });
  pool.query = watched.query;
  return createTestApp({
    operations: [slow, brokenOperation("the cable is cut")],
    observer: { meters, log, requestLog },
  });
}

test("each request has a line of JSON with its id, route, status and time, and nothing sent by the caller", async () => {
  const app = appWith("all");
  const headers = { "x-request-id": "abc-123", "x-api-key": "ens_secret", authorization: "Payment hidden" };
  const reply = await app.request("/api/slow/vitalik.eth?strict=false&key=ens_secret", { headers });
  expect(reply.status).toBe(200);
  expect(reply.headers.get("x-request-id")).toBe("abc-123");
  const line = lines.find(({ message }) => message === "request");
  expect(line).toMatchObject({
    level: "info",
    request_id: "abc-123",
    operation: "GET /slow/{name}",
    status: 200,
  });
  expect(line?.ms).toBeGreaterThan(10);
  expect(line?.time).toMatch(/^20\d\d-.*Z$/);
  expect(text).not.toMatch(/vitalik|secret|hidden/);
});

test("an id that is not a plain word is replaced", async () => {
  const reply = await appWith("all").request("/broken", {
    headers: { "x-request-id": 'a"}, {"level":"evil' },
  });
  expect(reply.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
  expect(lines.every(({ level }) => level !== "evil")).toBe(true);
});

test("a fault on our side is logged in full, with the request's id", async () => {
  await appWith("failed").request("/broken", { headers: { "x-request-id": "r1" } });
  const failure = lines.find(({ message }) => message === "request failed");
  expect(failure).toMatchObject({ level: "error", request_id: "r1" });
  expect(failure?.error).toMatch(/^Error: the cable is cut\n.*support\/app\.ts/s);
  expect(lines.find(({ message }) => message === "request")).toMatchObject({ status: 500, request_id: "r1" });
});

test("successful requests are logged only if enabled", async () => {
  await appWith("failed").request("/slow/a.eth");
  expect(lines.filter(({ message }) => message === "request")).toEqual([]);
  await appWith("none").request("/broken");
  expect(lines.filter(({ message }) => message === "request")).toEqual([]);
});

test("a slow query is logged with its operation and without its values", async () => {
  await appWith("none").request("/slow/vitalik.eth");
  expect(lines).toContainEqual(
    expect.objectContaining({
      level: "warn",
      message: "slow query",
      operation: "GET /slow/{name}",
      sql: "select * from domains where full_name = $1",
    }),
  );
  expect(text).not.toContain("vitalik");
});

test("requests are counted by route and status, operations by outcome", async () => {
  const app = appWith("none");
  for (const path of [
    "/slow/a.eth",
    "/slow/b.eth",
    "/slow/a..b",
    "/broken",
    "/nowhere",
    "/api/nowhere/else",
  ]) {
    await app.request(path);
  }
  const metrics = await meters.registry.metrics();
  expect(metrics).toContain('namedex_request_seconds_count{operation="GET /slow/{name}",status="200"} 2');
  expect(metrics).toContain('namedex_request_seconds_count{operation="GET /slow/{name}",status="400"} 1');
  expect(metrics).toContain('namedex_request_seconds_count{operation="GET /broken",status="500"} 1');
  expect(metrics).toContain('namedex_request_seconds_count{operation="none",status="404"} 2');
  expect(metrics).toContain('namedex_operations_total{operation="GET /slow/{name}",outcome="answered"} 2');
  expect(metrics).toContain('namedex_operations_total{operation="GET /broken",outcome="INTERNAL_ERROR"} 1');
  expect(metrics).toContain('namedex_slow_queries_total{operation="GET /slow/{name}"} 2');
});
