import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Stage } from "../chain/stage.ts";
import { answerIn, withoutAdded } from "./brief.ts";
import { type AnyClient, clients } from "./clients.ts";

/** Half the size of the ten answers when results contained their JSON twice: 110,080 bytes. */
const MOST_BYTES = 55_000;

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
 * The program's tools as in production, on the demo's chain, with Ponder's own HTTP server, its
 * middleware and live answers.
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
        const result = await client.call(tool, args);
        expect(result.isError ?? false, result.content[0]?.text).toBe(false);
        const reply = await fetch(`${stageOf().stack.url}${path}`);
        expect({ path, answer: await reply.json() }).toMatchObject({
          path,
          answer: withoutAdded(answerIn(result)),
        });
      }
    });

    test("the ten questions of the documentation have their answers, in half the former bytes", async () => {
      const { alice, carol } = stageOf().cast;
      let bytes = 0;
      const ask = async (tool: string, args: Record<string, unknown>) => {
        const result = await client.call(tool, args);
        expect(result.isError ?? false, result.content[0]?.text).toBe(false);
        bytes += JSON.stringify(result).length;
        return answerIn(result);
      };
      const wrapped = await ask("get_permissions", { name: "wrapped.eth" });
      expect(wrapped.owner).toMatch(/^0x/);
      expect(wrapped.fuses).toMatchObject({ can_no_more: expect.arrayContaining(["unwrap the name"]) });
      const renewals = await ask("get_address_portfolio", { address: "alice.eth", expires_within_days: 60 });
      const named = (
        renewals.results as { name: string; availability_status: string; expiry_date: string }[]
      ).map(({ name, availability_status: state }) => `${name} ${state}`);
      expect(named).toContain("grace.eth grace");
      expect(named).not.toContain("alice.eth registered");
      const primary = await ask("get_primary_names", { addresses: [alice] });
      expect(primary.results).toMatchObject({ [alice]: { primary_name: "alice.eth" } });
      const price = await ask("get_price", { name: "premium.eth", years: "1,5" });
      expect(price.registration).toMatchObject({ prices: [{ years: 1 }, { years: 5 }] });
      const moved = await ask("get_domain_history", { name: "moved.eth" });
      expect(moved.events).toEqual(expect.arrayContaining([expect.objectContaining({ type: "transfer" })]));
      const owners = await ask("get_domain_history", { name: "moved.eth", view: "ownership" });
      expect(owners.history).toMatchObject([
        { address: alice, from_date: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) },
        { address: expect.not.stringMatching(alice), to_timestamp: null },
      ]);
      expect(await ask("get_records", { name: "alice.eth", key: "com.twitter" })).toMatchObject({
        value: "alice",
      });
      const drops = await ask("search_domains", { view: "drops" });
      expect((drops.results as { name: string }[]).map(({ name }) => name)).toContain("dropping.eth");
      const agents = await ask("get_agents", { is_bound: true });
      expect(agents.agents).toEqual(expect.arrayContaining([expect.objectContaining({ name: "agent.eth" })]));
      expect((await ask("get_sales", { view: "largest" })).registrations).not.toEqual([]);
      expect((await ask("get_sales", { view: "purchases", interval: "month" })).periods).not.toEqual([]);
      const falling = await ask("whois", { name: "falling.eth" });
      expect(falling.ownership).toMatchObject({ is_owner_current: false, last_owner: { address: carol } });
      expect(bytes).toBeLessThan(MOST_BYTES);
    });

    test("a bare label is answered with what the caller may have meant", async () => {
      const [known, status] = await Promise.all([
        client.call("whois", { name: "alice" }),
        client.call("get_status"),
      ]);
      expect(answerIn(known).hint).toBe("Did you mean alice.eth?");
      expect(answerIn(status).now).toBeGreaterThan(1_700_000_000);
      const { isError, content } = await client.call("search_domains", {
        expires_within_days: 5,
        expiry_to: 9,
      });
      expect([isError, content[0]?.text]).toEqual([true, expect.stringContaining("not both")]);
    });

    test("a portfolio is found by a name, and has the names of its address", async () => {
      const { alice } = stageOf().cast;
      const [byName, byAddress] = await Promise.all(
        ["ALICE.eth", alice].map((address) => client.call("get_address_portfolio", { address })),
      );
      expect(byName?.content).toEqual(byAddress?.content);
      for (const [address, code] of [
        ["not-there.eth", "INVALID_ADDRESS"],
        ["a..b", "INVALID_NAME"],
      ]) {
        const { isError, content } = await client.call("get_address_portfolio", { address });
        expect([isError, content[0]?.text]).toEqual([true, expect.stringContaining(code ?? "")]);
      }
    });

    test("a batch is answered, with live names among the indexed ones", async () => {
      const result = await client.call("whois_bulk", {
        names: ["alice.eth", "unregistered.eth", "a..b"],
      });
      expect(answerIn(result)).toMatchObject({
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

    test("answers under both paths, other methods with 405, and strangers' pages with 403", async () => {
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
      // A refused page can read the reason.
      const refused = await send("/mcp", { headers: { ...headers, origin: "https://evil.example" } });
      expect([refused.status, refused.headers.get("access-control-allow-origin")]).toEqual([403, "*"]);
    });
  });
}
