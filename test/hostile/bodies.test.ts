// Also runs as: long
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { UNPAID } from "../../src/api/server/access/requestCount.ts";
import { MAX_KEYS, MAX_LEVELS, MAX_VALUES } from "../../src/api/server/http/jsonBounds.ts";
import { type Service, startService } from "../access/service.ts";
import { isLong } from "../support/size.ts";

/* JSON bodies that are small in bytes and large once parsed by a library, and requests without a payment. */

let service: Service;
beforeAll(async () => {
  service = await startService({ trustedProxies: 1 });
});
afterAll(() => service?.close());

let lastAddress = 0;
const fromNewAddress = () => ({ "x-forwarded-for": `203.0.113.${++lastAddress}` });

const send = (path: string, body: string | undefined, headers: Record<string, string>, method = "POST") =>
  fetch(`${service.url}${path}`, {
    method,
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...headers,
    },
    ...(body !== undefined && { body }),
  });
const codeOf = async (reply: Response) => ((await reply.json()) as { error: { code: string } }).error.code;

const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 0]));
const message = (params: unknown, method = "ping") =>
  JSON.stringify({ jsonrpc: "2.0", id: 1, method, ...(params !== undefined && { params }) });

const MANY = 80_000;
const nested = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;
const objects = (levels: number) => `${'{"a":'.repeat(levels)}0${"}".repeat(levels)}`;

const bodies: readonly [string, string, string][] = [
  ["keys in params", "/mcp", message(keys(MANY))],
  ["keys in _meta", "/mcp", message({ _meta: keys(MANY) })],
  ["keys in arguments", "/mcp", message({ name: "whois", arguments: keys(MANY) }, "tools/call")],
  ["keys beside params", "/mcp", JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping", ...keys(MANY) })],
  ["values in a list of params", "/mcp", message({ list: Array(MANY).fill(0) })],
  ["empty messages", "/mcp", `[${"{},".repeat(MANY)}{}]`],
  ["levels of lists", "/mcp", nested(MANY)],
  ["levels of objects", "/mcp", objects(MANY)],
  ["keys in a bulk", "/bulk", JSON.stringify({ names: ["a"], ...keys(MANY) })],
  ["values in a bulk", "/bulk", JSON.stringify({ names: Array(MANY).fill("a") })],
  ["values that are no texts", "/bulk", JSON.stringify({ names: Array(MANY).fill(0) })],
  ["levels in a bulk", "/bulk", `{"names":${nested(MANY)}}`],
  ["keys behind a text with escaped quotes", "/bulk", `{"a":"\\\\\\"","b":${JSON.stringify(keys(MANY))}}`],
  ["keys in a body that is cut off", "/bulk", JSON.stringify(keys(MANY)).slice(0, -1)],
];

describe("bodies that are small only in bytes", () => {
  test.each(bodies)("%s: %s", async (_, path, body) => {
    expect(Buffer.byteLength(body)).toBeLessThan(1_048_576);
    const began = performance.now();
    const reply = await send(path, body, fromNewAddress());
    expect([reply.status, await codeOf(reply)]).toEqual([400, "LIMIT_EXCEEDED"]);
    expect(performance.now() - began).toBeLessThan(1_000);
  });

  test("a chunked body is limited like one of known length", async () => {
    const body = new ReadableStream({
      start: (controller) => {
        controller.enqueue(new TextEncoder().encode(message(keys(MANY))));
        controller.close();
      },
    });
    const reply = await fetch(`${service.url}/mcp`, {
      method: "POST",
      body,
      duplex: "half",
      headers: { "content-type": "application/json", ...fromNewAddress() },
    } as RequestInit);
    expect([reply.status, await codeOf(reply)]).toEqual([400, "LIMIT_EXCEEDED"]);
  });

  test("each limit accepts what is just within it, and the largest honest call", async () => {
    const from = fromNewAddress();
    const within = [
      message({ _meta: keys(MAX_KEYS - 5) }),
      message({ list: Array(MAX_VALUES - 10).fill(0) }),
      message({ deep: JSON.parse(nested(MAX_LEVELS - 2)) }),
      message({ text: `${'\\"{[:,'.repeat(100_000)}` }),
    ];
    for (const body of within) expect((await send("/mcp", body, from)).status).toBe(200);
    const names = Array.from({ length: 500 }, () => `${"[a.]".repeat(255)}.eth`);
    expect((await send("/bulk", JSON.stringify({ names }), from)).status).toBe(200);
  });
});

/** Sends this request until the address is refused. Returns how many were answered before. */
async function countUntilRefused(ask: () => Promise<Response>): Promise<number> {
  for (let sent = 0; sent <= UNPAID.requests; sent += 10) {
    const replies = await Promise.all(Array.from({ length: 10 }, ask));
    const refused = replies.filter(({ status }) => status === 429);
    for (const reply of refused) expect(Number(reply.headers.get("retry-after"))).toBeGreaterThan(0);
    await Promise.all(replies.map((reply) => reply.arrayBuffer()));
    if (refused.length > 0) return sent + 10 - refused.length;
  }
  return Number.POSITIVE_INFINITY;
}

describe("unpaid requests count towards a limit of their address", () => {
  const unpaid: [string, string, string | undefined, string][] = [
    ["ping", "/mcp", message(undefined), "POST"],
    ["tools/list", "/mcp", message(undefined, "tools/list"), "POST"],
    ["a tool that is not there", "/mcp", message({ name: "nothing" }, "tools/call"), "POST"],
    ["a message that is none", "/mcp", "0", "POST"],
    ["a body that is no JSON", "/bulk", "{", "POST"],
    ["a bulk of a wrong type", "/bulk", '{"names":1}', "POST"],
    ["an invalid parameter", "/fails?as=odd", undefined, "GET"],
    ["a path that is not there", "/nothing", undefined, "GET"],
    ["a method that is not there", "/free", undefined, "DELETE"],
    ["an operation that is free", "/free", undefined, "GET"],
  ];
  // Over MCP, over HTTP, and over neither, in turn.
  test.each(isLong() ? unpaid : unpaid.filter((_, i) => i % 3 === 0))("%s", async (_, path, body, method) => {
    const from = fromNewAddress();
    expect(await countUntilRefused(() => send(path, body, from, method))).toBe(UNPAID.requests);
    expect((await send("/free", undefined, fromNewAddress(), "GET")).status).toBe(200);
  });

  test("each message of a batch over MCP counts as one", async () => {
    const from = fromNewAddress();
    const batch = `[${Array.from({ length: 20 }, () => message(undefined)).join(",")}]`;
    const sent = UNPAID.requests / 20;
    for (let i = 0; i < sent; i++) expect((await send("/mcp", batch, from)).status).toBe(200);
    expect((await send("/mcp", batch, from)).status).toBe(429);
  });

  test("requests paid by a key do not count", async () => {
    const from = fromNewAddress();
    const { key } = await service.createKey(UNPAID.requests + 20);
    const ask = () => send("/one/a", undefined, { ...from, "x-api-key": key }, "GET");
    expect(await countUntilRefused(ask)).toBe(Number.POSITIVE_INFINITY);
  });
});
