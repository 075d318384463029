import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestApp } from "../support/app.ts";
import { openScene, type Scene } from "./scene.ts";

let scene: Scene;
beforeAll(async () => {
  scene = await openScene();
});
afterAll(() => scene.close());

const both = "application/json, text/event-stream";
const call = {
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name: "whois", arguments: { name: "alice.eth" } },
};

type Sent = { body?: unknown; headers?: Record<string, string>; method?: string };

/** A request by hand, as programs without a library send it. */
async function send({ body = call, headers = {}, method = "POST" }: Sent = {}) {
  const reply = await fetch(`${scene.url}/mcp`, {
    method,
    headers: { "content-type": "application/json", accept: both, ...headers },
    ...(method !== "GET" && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  return { status: reply.status, text: await reply.text(), headers: reply.headers };
}

/** The message of an event stream that holds one. */
const messageIn = (text: string) => JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? "null");

const fault = (code: string) => ({ error: { code, message: expect.stringMatching(/\S.*\.$/) } });

describe("by hand", () => {
  test("a call needs no handshake", async () => {
    const { status, text } = await send();
    expect(status).toBe(200);
    expect(JSON.parse(messageIn(text).result.content[0].text)).toMatchObject({
      name: "alice.eth",
      source: "indexed",
    });
  });

  test.each(["*/*", "application/*, text/*", "Text/Event-Stream;q=0.5, application/json;charset=utf-8"])(
    "Accept: %s accepts both forms",
    async (accept) => {
      expect((await send({ headers: { accept } })).status).toBe(200);
    },
  );

  test.each(["application/json", "text/event-stream", "text/html"])("Accept: %s is 406", async (accept) => {
    const { status, text } = await send({ headers: { accept } });
    expect(status).toBe(406);
    expect(JSON.parse(text)).toEqual(fault("NOT_ACCEPTABLE"));
  });

  test.each(["GET", "DELETE", "PUT", "PATCH"])("%s is 405", async (method) => {
    const { status, text, headers } = await send({ method });
    expect([status, headers.get("allow")]).toEqual([405, "POST, OPTIONS"]);
    expect(JSON.parse(text)).toEqual(fault("METHOD_NOT_ALLOWED"));
  });

  test.each([
    ["{", "application/json", 400, "INVALID_PARAMETER"],
    ["", "application/json", 400, "INVALID_PARAMETER"],
    [JSON.stringify(call), "text/plain", 400, "INVALID_PARAMETER"],
    [JSON.stringify(call), "application/x-www-form-urlencoded", 400, "INVALID_PARAMETER"],
    [JSON.stringify(Array(21).fill(call)), "application/json", 400, "LIMIT_EXCEEDED"],
  ])("the body %.30s as %s is %i %s", async (body, type, status, code) => {
    const reply = await send({ body, headers: { "content-type": type } });
    expect(reply.status).toBe(status);
    expect(JSON.parse(reply.text)).toEqual(fault(code));
  });

  /** The server closes the connection when it refuses a body: no other request may use it. */
  const sendLarge = (headers: Record<string, string | number>) =>
    new Promise<number | undefined>((resolve, reject) => {
      const plan = { method: "POST", agent: false, headers: { accept: both, ...headers } };
      const sent = request(`${scene.url}/mcp`, plan, (reply) => {
        resolve(reply.statusCode);
        sent.destroy();
      });
      sent.on("error", reject);
      sent.end(JSON.stringify(call) + " ".repeat(1_100_000));
    });

  test("a body over the limit is refused, whether or not its length is declared", async () => {
    const length = JSON.stringify(call).length + 1_100_000;
    const type = { "content-type": "application/json" };
    expect(await sendLarge({ ...type, "content-length": length })).toBe(400);
    expect(await sendLarge({ ...type, "transfer-encoding": "chunked" })).toBe(400);
  });

  test.each([
    [null],
    [1],
    ["a"],
    [{}],
    [[]],
    [{ jsonrpc: "2.0", id: 1, method: "no/such" }],
    [{ jsonrpc: "1.0" }],
  ])("the message %j is an error of JSON-RPC, without a stack", async (body) => {
    const { text } = await send({ body: JSON.stringify(body) });
    const { error } = text.startsWith("{") ? JSON.parse(text) : messageIn(text);
    expect(error.code).toBeLessThan(-32_000 + 1);
    expect(text).not.toMatch(/\bat .*\.[mc]?[jt]s:\d|node_modules/);
  });

  test("a small batch of an old client is answered call by call", async () => {
    const { status, text } = await send({ body: [call, { ...call, id: 2 }] });
    expect(status).toBe(200);
    const ids = [...text.matchAll(/^data: (.*)$/gm)].map(([, data = ""]) => JSON.parse(data).id);
    expect(ids.sort()).toEqual([1, 2]);
  });
});

test("a stream that waits for announcements is refused at once, because there are none", async () => {
  const version = "2026-07-28";
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": version,
    "io.modelcontextprotocol/clientInfo": { name: "test", version: "1.0.0" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const method = "subscriptions/listen";
  const { text } = await send({
    body: { jsonrpc: "2.0", id: 1, method, params: { _meta, notifications: { toolsListChanged: true } } },
    headers: { "mcp-protocol-version": version, "mcp-method": method },
  });
  expect(JSON.parse(text).error.message).toContain("limit reached");
});

describe("web pages", () => {
  test.each(["http://localhost:3000", "http://127.0.0.1:42069", "http://[::1]:8080"])(
    "%s may make requests",
    async (origin) => {
      expect((await send({ headers: { origin } })).status).toBe(200);
    },
  );

  test.each(["https://evil.example", "http://localhost.evil.example", "http://127.0.0.1.nip.io", "null"])(
    "%s may not query a server on the reader's own machine",
    async (origin) => {
      const { status, text } = await send({ headers: { origin } });
      expect(status).toBe(403);
      expect(JSON.parse(text)).toEqual(fault("FORBIDDEN_ORIGIN"));
    },
  );

  test("may all query a service behind a proxy on its machine, if PUBLIC_URL names it", async () => {
    const publicUrls = ["https://names.example", "http://localhost:42069"];
    const callerOf = () => ({ address: "127.0.0.1", header: () => undefined });
    const app = createTestApp({ operations: [], publicUrls, callerOf });
    const ask = async (host: string, origin: string) => {
      const headers = { "content-type": "application/json", accept: both, host, origin };
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
      return (await app.request("/mcp", { method: "POST", headers, body })).status;
    };
    expect(await ask("names.example", "https://app.example")).not.toBe(403);
    // A page whose name was rebound to this machine, and a page that addresses this machine by its
    // own name.
    expect(await ask("evil.example:42069", "http://evil.example:42069")).toBe(403);
    expect(await ask("localhost:42069", "https://evil.example")).toBe(403);
    expect(await ask("localhost:42069", "http://localhost:42069")).not.toBe(403);
  });

  test("may query any other server: answers are public", async () => {
    const init = {
      method: "POST",
      headers: { "content-type": "application/json", accept: both, origin: "https://app.example" },
      body: JSON.stringify(call),
    };
    expect((await scene.api.app.request("/mcp", init)).status).toBe(200);
  });
});
