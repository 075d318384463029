import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Stage } from "../chain/stage.ts";
import { type AnyClient, clients } from "./clients.ts";

type Question = [tool: string, args: Record<string, unknown>, path: string];

const questionsOf = (alice: string): Question[] => [
  ["get_price", { name: "premium.eth", years: "1,5" }, "/domain/premium.eth/price?years=1,5"],
  ["whois", { name: "alice.eth" }, "/whois/alice.eth"],
  ["whois", { name: "sub.wrapped.eth" }, "/api/whois/sub.wrapped.eth"],
  ["whois", { name: "legacy.eth" }, "/whois/legacy.eth"],
  ["get_records", { name: "legacy.eth" }, "/domain/legacy.eth/records"],
  ["search_domains", { q: "multi", page: 1 }, "/search-domains?q=multi"],
  ["get_records", { name: "alice.eth" }, "/domain/alice.eth/records"],
  ["get_domain_history", { name: "moved.eth" }, "/domain/moved.eth/events"],
  ["get_domain_history", { name: "moved.eth", view: "ownership" }, "/domain/moved.eth/ownership-history"],
  ["get_address_portfolio", { address: alice }, `/address/${alice}/domains`],
  ["get_address_portfolio", { address: alice, view: "summary" }, `/address/${alice}/summary`],
  ["get_primary_names", { address: alice }, `/address/${alice}/primary-name?history=true`],
  ["get_events", { type: "transfer" }, "/events?type=transfer"],
  ["get_changes", { after: "oldest", limit: 5 }, "/changes?after=oldest&limit=5"],
  ["get_permissions", { name: "legacy.eth" }, "/domain/legacy.eth/permissions"],
  ["get_permissions", { address: alice, view: "address" }, `/address/${alice}/permissions`],
  ["get_statistics", {}, "/ens-stats"],
  ["get_statistics", { view: "distribution" }, "/ens-stats/distribution"],
];

/**
 * The tools of the program as it runs in production, on the demo's chain: Ponder's own HTTP server under them, its
 * middleware before them, live answers behind them.
 */
export function describeTools(stageOf: () => Stage): void {
  const get = async <T = Record<string, unknown>>(path: string) => (await stageOf().stack.api<T>(path)).body;

  describe.each(Object.entries(clients))("%s", (_, connect) => {
    let client: AnyClient;
    beforeAll(async () => {
      client = await connect(`${stageOf().stack.url}/mcp`);
      expect((await client.tools()).length).toBe(18);
    });
    afterAll(() => client?.close());

    test("every tool answers as HTTP does", async () => {
      for (const [tool, args, path] of questionsOf(stageOf().cast.alice)) {
        const { isError, structuredContent, content } = await client.call(tool, args);
        expect(isError ?? false, content[0]?.text).toBe(false);
        // With the blocks that it is of, which the chain of the demo, at rest, does not change.
        const reply = await fetch(`${stageOf().stack.url}${path}`);
        expect([path, structuredContent]).toEqual([path, await reply.json()]);
      }
    });

    test("a portfolio is found by a name, and has the names of its address", async () => {
      const { alice } = stageOf().cast;
      const [byName, byAddress] = await Promise.all(
        ["ALICE.eth", alice].map((address) => client.call("get_address_portfolio", { address })),
      );
      expect(byName?.structuredContent).toEqual(byAddress?.structuredContent);
      for (const [address, code] of [
        ["not-there.eth", "INVALID_ADDRESS"],
        ["a..b", "INVALID_NAME"],
      ]) {
        const { isError, content } = await client.call("get_address_portfolio", { address });
        expect([isError, content[0]?.text]).toEqual([true, expect.stringContaining(code ?? "")]);
      }
    });

    test("a batch is answered, live names among the indexed ones", async () => {
      const { structuredContent } = await client.call("whois_bulk", {
        names: ["alice.eth", "unregistered.eth", "a..b"],
      });
      expect(structuredContent).toMatchObject({
        results: [
          { name: "alice.eth" },
          { query: "unregistered.eth", availability_status: "available" },
          { query: "a..b" },
        ],
        summary: { total: 3 },
      });
    });

    test("an error is the one of HTTP", async () => {
      const { isError, content } = await client.call("whois", { name: "a..b" });
      expect(isError).toBe(true);
      expect(JSON.parse(content[0]?.text ?? "")).toEqual(await get("/whois/a..b"));
    });
  });

  describe("Ponder's server", () => {
    const headers = { "content-type": "application/json", accept: "*/*" };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
    const send = (path: string, init: RequestInit = {}) =>
      fetch(`${stageOf().stack.url}${path}`, { method: "POST", headers, body, ...init });

    test("answers under both paths, other methods with 405, pages of strangers with 403", async () => {
      for (const path of ["/mcp", "/api/mcp"]) {
        expect((await send(path)).status).toBe(200);
        const wrong = await fetch(`${stageOf().stack.url}${path}`, { method: "DELETE" });
        expect([wrong.status, await wrong.json()]).toMatchObject([
          405,
          { error: { code: "METHOD_NOT_ALLOWED" } },
        ]);
        const foreign = await send(path, { headers: { ...headers, origin: "https://evil.example" } });
        expect([foreign.status, await foreign.json()]).toMatchObject([
          403,
          { error: { code: "FORBIDDEN_ORIGIN" } },
        ]);
      }
    });

    test("lets web pages ask first what they may send", async () => {
      const asked = {
        "access-control-request-method": "POST",
        "access-control-request-headers": "content-type,mcp-method,x-api-key",
      };
      const reply = await fetch(`${stageOf().stack.url}/mcp`, {
        method: "OPTIONS",
        headers: { origin: "http://localhost:6274", ...asked },
      });
      expect(reply.status).toBe(204);
      expect(reply.headers.get("access-control-allow-headers")).toContain("mcp-method");
      // A page that is refused can read why.
      const refused = await send("/mcp", { headers: { ...headers, origin: "https://evil.example" } });
      expect([refused.status, refused.headers.get("access-control-allow-origin")]).toEqual([403, "*"]);
    });
  });
}
