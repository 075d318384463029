import { gunzipSync } from "node:zlib";
import { z } from "@hono/zod-openapi";
import { expect, test } from "vitest";
import { subgraphRoutes } from "../../src/api/features/subgraph/routes.ts";
import { MIN_COMPRESSED_BYTES } from "../../src/api/server/http/compression.ts";
import { endpoint } from "../../src/api/server/http/endpoint.ts";
import { createTestApp } from "../support/app.ts";
import { operations as allOperations } from "../support/operations.ts";

/** Answers with a text of the given number of characters. */
const text = (path: string, more: { isPrivate?: true } = {}) =>
  endpoint({
    method: "get",
    path,
    group: "Names",
    summary: "A text",
    description: "A text.",
    params: z.object({ length: z.coerce.number() }),
    reply: z.strictObject({ text: z.string() }),
    errors: [],
    cost: 0,
    index: "notNeeded",
    ...more,
    handle: async ({ length }: { length: number }) => ({ text: "x".repeat(length) }),
  } as never);

const operations = [text("/text/{length}"), text("/secret/{length}", { isPrivate: true })] as never;
const app = createTestApp({ operations, compresses: true });

const ask = (path: string, accepted: string | null, more: Record<string, string> = {}, from = app) =>
  from.request(path, { headers: { ...(accepted !== null && { "accept-encoding": accepted }), ...more } });

test.each(["gzip", "gzip, br", "br, GZIP;q=0.5", "deflate,x-gzip"])(
  "%s: a long answer is compressed",
  async (accepted) => {
    const plain = await (await ask("/text/5000", null)).text();
    const reply = await ask("/text/5000", accepted);
    expect(reply.headers.get("content-encoding")).toBe("gzip");
    expect(reply.headers.get("vary")).toContain("Accept-Encoding");
    const bytes = Buffer.from(await reply.arrayBuffer());
    expect(bytes.length).toBeLessThan(plain.length / 10);
    expect(gunzipSync(bytes).toString()).toBe(plain);
  },
);

test.each([null, "br", "identity", "gzip;q=0", "br, gzip; q=0.0", "notgzip"])(
  "%s: no answer is compressed",
  async (accepted) => {
    const reply = await ask("/text/5000", accepted);
    expect(reply.headers.get("content-encoding")).toBeNull();
    expect(reply.headers.get("vary")).toContain("Accept-Encoding");
    expect(await reply.json()).toEqual({ text: "x".repeat(5_000) });
  },
);

test("short answers and answers with a secret are sent uncompressed", async () => {
  const around = MIN_COMPRESSED_BYTES - '{"text":""}'.length;
  expect((await ask(`/text/${around - 1}`, "gzip")).headers.get("content-encoding")).toBeNull();
  expect((await ask(`/text/${around}`, "gzip")).headers.get("content-encoding")).toBe("gzip");
  expect((await ask("/secret/5000", "gzip")).headers.get("content-encoding")).toBeNull();
});

test("the tag of one form spares the body of either, and the compressed form has it as a weak tag", async () => {
  const [plain, packed] = await Promise.all([ask("/text/5000", null), ask("/text/5000", "gzip")]);
  const [tag, weak] = [plain, packed].map(({ headers }) => headers.get("etag") ?? "");
  expect(weak).toBe(`W/${tag}`);
  for (const known of [tag, weak]) {
    const again = await ask("/text/5000", "gzip", { "if-none-match": known ?? "" });
    expect([again.status, await again.text()]).toEqual([304, ""]);
  }
});

test("answers of the subgraph and of MCP are also compressed", async () => {
  const all = createTestApp({ operations: allOperations, compresses: true });
  const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };
  const query = { query: `{ ${"x".repeat(2_000)} }` };
  const subgraph = subgraphRoutes(
    {
      executeOperation: async () => ({ reply: "y".repeat(5_000), headers: {} }),
      callerOf: () => ({ address: "127.0.0.1", header: () => undefined }),
      compresses: true,
    } as never,
    () => "",
  );
  for (const [app, path, body] of [
    [all, "/mcp", list],
    [subgraph, "/subgraph", query],
  ] as const) {
    const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    const of = (more: Record<string, string>) =>
      app.request(path, { method: "POST", headers: { ...headers, ...more }, body: JSON.stringify(body) });
    const [plain, packed] = await Promise.all([of({}), of({ "accept-encoding": "gzip" })]);
    expect(packed.headers.get("content-encoding"), path).toBe("gzip");
    expect(packed.headers.get("content-type")).toBe(plain.headers.get("content-type"));
    const text = gunzipSync(Buffer.from(await packed.arrayBuffer())).toString();
    expect(text).toBe(await plain.text());
    expect(plain.headers.get("content-encoding")).toBeNull();
  }
});

test("if the operator switches compression off, nothing is compressed", async () => {
  const off = createTestApp({ operations });
  const reply = await ask("/text/5000", "gzip", {}, off);
  expect([reply.headers.get("content-encoding"), reply.headers.get("vary")]).not.toContain("gzip");
});
