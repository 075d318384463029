import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import { z } from "@hono/zod-openapi";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { input } from "../../src/api/names/schemas/input.ts";
import { ApiError, type ErrorCode, errorCodes } from "../../src/api/server/errors/errors.ts";
import { type Endpoint, endpoint } from "../../src/api/server/http/endpoint.ts";
import { createTestApp } from "../support/app.ts";
import { type AnyClient, clients, type Result } from "./clients.ts";
import { alice, openScene, type Scene } from "./scene.ts";

let scene: Scene;
beforeAll(async () => {
  scene = await openScene();
});
afterAll(() => scene.close());

/** The error in a result, which must be in the contract's form and nothing else. */
function errorOf({ isError, content }: Result): { code: ErrorCode; message: string } {
  expect(isError, content[0]?.text).toBe(true);
  const body = JSON.parse(content[0]?.text ?? "") as { error: { code: ErrorCode; message: string } };
  expect(body).toMatchObject({
    error: { code: expect.any(String), message: expect.stringMatching(/\S.*\.$/) },
  });
  return body.error;
}

const tooMany = Array.from({ length: 501 }, (_, i) => `n${i}.eth`);

type Wrong = [tool: string, args: Record<string, unknown>, code: ErrorCode, path?: string, body?: unknown];

/**
 * Wrong calls, with a path if the same can be requested over HTTP: then the whole error must be
 * equal.
 */
const wrong: Wrong[] = [
  ["whois", { name: "a..b" }, "INVALID_NAME", "/whois/a..b"],
  ["whois", { name: "" }, "INVALID_NAME", "/whois/"],
  ["whois", { name: `${"a".repeat(300)}.eth` }, "INVALID_NAME", `/whois/${"a".repeat(300)}.eth`],
  ["whois", {}, "MISSING_PARAMETER"],
  ["whois", { name: null }, "MISSING_PARAMETER"],
  ["whois", { name: ["alice.eth"] }, "INVALID_PARAMETER"],
  ["whois", { name: "alice.eth", page: 2 }, "INVALID_PARAMETER"],
  ["whois", { name: "alice.eth", view: "all" }, "INVALID_PARAMETER"],
  ["whois", { name: "x.strange.eth" }, "LIVE_RESOLUTION_FAILED", "/whois/x.strange.eth"],
  ["whois_bulk", {}, "MISSING_PARAMETER", "/whois/bulk", {}],
  ["whois_bulk", { names: [] }, "MISSING_PARAMETER", "/whois/bulk", { names: [] }],
  ["whois_bulk", { names: "alice.eth" }, "INVALID_PARAMETER", "/whois/bulk", { names: "alice.eth" }],
  ["whois_bulk", { names: [1] }, "INVALID_PARAMETER", "/whois/bulk", { names: [1] }],
  ["whois_bulk", { names: tooMany }, "LIMIT_EXCEEDED", "/whois/bulk", { names: tooMany }],
  ["search_domains", { page: 0 }, "INVALID_PARAMETER", "/search-domains?page=0"],
  ["search_domains", { page: 1.5 }, "INVALID_PARAMETER", "/search-domains?page=1.5"],
  ["search_domains", { page: -1 }, "INVALID_PARAMETER", "/search-domains?page=-1"],
  ["search_domains", { page: 1e21 }, "INVALID_PARAMETER", "/search-domains?page=1e%2B21"],
  ["search_domains", { page: { a: 1 } }, "INVALID_PARAMETER"],
  ["search_domains", { is_wrapped: "yes" }, "INVALID_PARAMETER", "/search-domains?is_wrapped=yes"],
  ["search_domains", { sort_by: "price" }, "INVALID_PARAMETER", "/search-domains?sort_by=price"],
  ["search_domains", { q: "a\0" }, "INVALID_PARAMETER", "/search-domains?q=a%00"],
  ["search_domains", { resolver: "0x1" }, "INVALID_ADDRESS", "/search-domains?resolver=0x1"],
  ["search_domains", { limit: 10 }, "INVALID_PARAMETER"],
  ["search_domains", { ["x".repeat(5_000)]: 1 }, "INVALID_PARAMETER"],
  [
    "get_records",
    { name: "alice.eth", types: "text,ip" },
    "INVALID_PARAMETER",
    "/domain/alice.eth/records?types=text,ip",
  ],
  ["get_records", { name: "alice.eth", types: [] }, "INVALID_PARAMETER"],
  ["get_records", { name: "alice.eth", types: [["text"]] }, "INVALID_PARAMETER"],
  ["get_records", { name: "alice.eth", view: "text" }, "MISSING_PARAMETER"],
  ["get_records", { name: "alice.eth", view: "all", key: "url" }, "INVALID_PARAMETER"],
  ["get_records", { name: "strange.eth" }, "LIVE_RESOLUTION_FAILED", "/domain/strange.eth/records"],
  ["get_domain_history", { name: "alice.eth", view: "sales" }, "INVALID_PARAMETER"],
  ["get_domain_history", { name: "alice.eth", view: ["events"] }, "INVALID_PARAMETER"],
  ["get_domain_history", { view: "events" }, "MISSING_PARAMETER"],
  ["get_domain_history", { name: "alice.eth", view: "events", key: "url" }, "INVALID_PARAMETER"],
  ["get_domain_history", { name: ".", audit: true }, "INVALID_NAME"],
  ["get_address_portfolio", { address: "0xalice" }, "INVALID_ADDRESS", "/address/0xalice/domains"],
  ["get_address_portfolio", { address: "a..eth" }, "INVALID_NAME"],
  [
    "get_address_portfolio",
    { address: alice, address_type: "x" },
    "INVALID_PARAMETER",
    `/address/${alice}/domains?address_type=x`,
  ],
  ["get_address_portfolio", {}, "MISSING_PARAMETER"],
  ["get_primary_names", {}, "MISSING_PARAMETER", "/address/primary-names/bulk", {}],
  [
    "get_primary_names",
    { addresses: [] },
    "MISSING_PARAMETER",
    "/address/primary-names/bulk",
    { addresses: [] },
  ],
  [
    "get_primary_names",
    { addresses: Array(201).fill(alice) },
    "LIMIT_EXCEEDED",
    "/address/primary-names/bulk",
    { addresses: Array(201).fill(alice) },
  ],
  ["get_primary_names", { address: "0x1" }, "INVALID_ADDRESS", "/address/0x1/primary-name?history=true"],
  ["get_primary_names", { address: alice, history: "false" }, "INVALID_PARAMETER"],
  ["get_statistics", { view: "" }, "INVALID_PARAMETER"],
  ["get_statistics", { days: 30 }, "INVALID_PARAMETER"],
];

describe.each(Object.entries(clients))("wrong calls by %s", (_, connect) => {
  let client: AnyClient;
  beforeAll(async () => {
    client = await connect(`${scene.url}/mcp`);
  });
  afterAll(() => client.close());

  test.each(wrong)("%s %.80j is %s", async (tool, args, code, path, body) => {
    const error = errorOf(await client.call(tool, args));
    expect(error.code).toBe(code);
    expect(error.message.length).toBeLessThan(600);
    if (path === undefined) return;
    const reply = body === undefined ? await scene.api.get(path) : await scene.api.post(path, body);
    expect(reply).toEqual({ status: errorCodes[code].status, body: { error } });
  });

  test("an unknown tool is a protocol error that names the existing ones", async () => {
    await expect(client.call("transfer_domain", {})).rejects.toThrow(/No tool has this name.*whois/);
  });

  test("a missing document is a protocol error", async () => {
    await expect(client.read("namedex://docs/secrets")).rejects.toThrow();
  });
});

const tool = {
  method: "get",
  path: "/whois/{name}",
  group: "Domains",
  summary: "One name",
  tool: "whois",
} as const;

/** A tool whose handler behaves as the requested name tells it. */
const trap: Endpoint = endpoint({
  ...tool,
  params: z.object({ name: input.name() }),
  reply: z.strictObject({ name: z.string() }),
  errors: ["INVALID_NAME"],
  cost: 1,
  handle: async ({ name }) => {
    if (name.name === "throws.eth") throw new Error('relation "secret" does not exist');
    if (name.name === "refused.eth")
      throw new ApiError("RATE_LIMITED", "Slower.", { headers: { "Retry-After": "7" } });
    if (name.name === "leaks.eth") return { name: name.name, password: "secret" };
    return { name: name.name };
  },
});

describe("internal errors", () => {
  let server: Server;
  let client: AnyClient;
  const settled: string[] = [];
  const connect = clients["client 2.4.0 by discovery"];

  beforeAll(async () => {
    const headers = { "RateLimit-Policy": '"a"' };
    const admission = (operation: string) => ({
      refund: async () => headers,
      raise: () => Promise.reject(new Error("No tool is planned")),
      settle: async () => {
        settled.push(operation);
        return { ...headers, "X-Credits-Remaining": "41" };
      },
    });
    const app = createTestApp({
      operations: [trap],
      access: { count: () => {}, admit: async (_, { operation }) => admission(operation) },
    });
    server = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }) as Server;
    await new Promise((resolve) => server.once("listening", resolve));
    client = (await connect?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`)) as AnyClient;
  });
  afterAll(async () => {
    await client.close();
    server.closeAllConnections();
    server.close();
  });

  test.each(["throws.eth", "leaks.eth"])(
    "%s is logged in full, reported without its text, and not charged",
    async (name) => {
      settled.length = 0;
      const log = vi.spyOn(console, "error").mockImplementation(() => {});
      const result = await client.call("whois", { name });
      expect(errorOf(result).code).toBe("INTERNAL_ERROR");
      expect(JSON.stringify(result)).not.toMatch(/secret|\.ts:|node_modules/);
      expect(log.mock.calls.flat().join(" ")).toMatch(/secret|password/);
      expect(settled).toEqual([]);
      log.mockRestore();
    },
  );

  test("a successful answer is charged, and carries the access headers in `_meta`", async () => {
    settled.length = 0;
    const result = await client.call("whois", { name: "alice.eth" });
    expect(result._meta).toMatchObject({
      "namedex/access": { "ratelimit-policy": '"a"', "x-credits-remaining": "41" },
    });
    expect(settled).toEqual(["GET /whois/{name}"]);
  });

  test("an error carries them too", async () => {
    const result = await client.call("whois", { name: "refused.eth" });
    expect(errorOf(result).code).toBe("RATE_LIMITED");
    expect(result._meta).toMatchObject({
      "namedex/access": { "retry-after": "7", "ratelimit-policy": '"a"' },
    });
  });

  test("only tools of existing operations exist", async () => {
    expect((await client.tools()).map(({ name }) => name)).toEqual(["whois"]);
  });
});
