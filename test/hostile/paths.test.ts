import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { connect } from "node:net";
import { serve } from "@hono/node-server";
import { z } from "@hono/zod-openapi";
import { afterAll, beforeAll, expect, test } from "vitest";
import { input } from "../../src/api/names/schemas/input.ts";
import { endpoint } from "../../src/api/server/http/endpoint.ts";
import { createTestApp } from "../support/app.ts";

/* Paths and request lines that no good client sends, to a real server. */

const echo = endpoint({
  method: "get",
  path: "/echo/{name}",
  group: "Domains",
  summary: "Echo",
  cost: 0,
  params: z.object({ name: input.name() }),
  reply: z.strictObject({ name: z.string() }),
  errors: ["INVALID_NAME"],
  handle: async ({ name }) => ({ name: name.name }),
});

let server: Server;
let port = 0;
beforeAll(async () => {
  const app = createTestApp({ operations: [echo] });
  server = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }) as Server;
  if (!server.listening) await new Promise((resolve) => server.once("listening", resolve));
  ({ port } = server.address() as AddressInfo);
  await fetch(`http://127.0.0.1:${port}/echo/a.eth`); // The first request determines how unreadable ones are answered.
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** Sends bytes, and returns the answer up to the end of the connection. */
const raw = (text: string): Promise<{ status: number; body: string }> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(text));
    let answer = "";
    socket.setTimeout(5_000, () => socket.destroy());
    socket.on("data", (piece) => {
      answer += piece;
    });
    socket.on("error", reject);
    socket.on("close", () => {
      const [head = "", body = ""] = answer.split(/\r\n\r\n(.*)/s);
      resolve({ status: Number(head.split(" ")[1]), body });
    });
  });
const codeOf = (body: string): string => (JSON.parse(body) as { error: { code: string } }).error.code;
const line = (method: string, target: string) =>
  `${method} ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`;

test.each(["%FF", "a%FF.eth", "%C3.eth", "%", "100%", "%zz", "%ED%A0%80", "%F8%88%80%80%80"])(
  "a path with %s is invalid, in a name INVALID_NAME",
  async (name) => {
    const codes = { "/echo/": "INVALID_NAME", "/api/echo/": "INVALID_NAME", "/": "INVALID_PARAMETER" };
    for (const [prefix, code] of Object.entries(codes)) {
      const { status, body } = await raw(line("GET", `${prefix}${name}`));
      expect([status, codeOf(body)]).toEqual([400, code]);
    }
  },
);

test("a path of UTF-8 is read", async () => {
  const { status, body } = await raw(line("GET", "/echo/caf%C3%A9.eth?strict=false&x=%FF"));
  expect([status, body]).toEqual([200, '{"name":"café.eth","as_of":[]}']);
});

test.each([2_000, 5_000, 12_000, 20_000, 40_000])(
  "a name of %i characters is INVALID_NAME",
  async (length) => {
    for (const prefix of ["/echo/", "/api/echo/"]) {
      const { body } = await raw(line("GET", `${prefix}${"a".repeat(length)}`));
      expect(codeOf(body)).toBe("INVALID_NAME");
    }
  },
);

test("another target or header that is too long is LIMIT_EXCEEDED", async () => {
  const long = "a".repeat(20_000);
  expect(codeOf((await raw(line("GET", `/other/${long}`))).body)).toBe("LIMIT_EXCEEDED");
  expect(codeOf((await raw(line("GET", `/echo/a.eth?${long}`))).body)).toBe("LIMIT_EXCEEDED");
});

test.each([
  ["too long", line("HEAD", `/echo/${"a".repeat(20_000)}`)],
  ["of a broken header", "HEAD /echo/a.eth HTTP/1.1\r\nHost: x\r\n: none\r\n\r\n"],
  ["of a broken version", "HEAD /echo/a.eth HTTP/9.z\r\n\r\n"],
  ["refused by the router", line("HEAD", "/echo/%FF")],
])("a HEAD that is %s has no body", async (_, text) => {
  const { status, body } = await raw(text);
  expect(status).toBeGreaterThanOrEqual(400);
  expect(body).toBe("");
});

test("something that is not a request has a body", async () => {
  expect(codeOf((await raw("hello\r\n\r\n")).body)).toBe("INVALID_PARAMETER");
  expect(codeOf((await raw("GET /echo/a.eth HTTP/1.1\r\nHost: x\r\n: none\r\n\r\n")).body)).toBe(
    "INVALID_PARAMETER",
  );
});
