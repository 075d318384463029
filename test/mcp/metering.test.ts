// Also runs as: long
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { callerBehind } from "../../src/api/server/access/caller.ts";
import { limitsIn } from "../../src/api/server/access/limits.ts";
import { meteredAccess } from "../../src/api/server/access/metered.ts";
import { type Keys, keysIn } from "../../src/api/server/serviceDb/keys.ts";
import { reservationsIn } from "../../src/api/server/serviceDb/reservations.ts";
import { openStore, type Store } from "../../src/api/server/serviceDb/store.ts";
import { createTestDatabase } from "../support/database.ts";
import { isLong } from "../support/size.ts";
import { type AnyClient, clients, type Result } from "./clients.ts";
import { pairs } from "./questions.ts";
import { openScene, type Scene } from "./scene.ts";

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let store: Store;
let keys: Keys;
let scene: Scene;

beforeAll(async () => {
  database = await createTestDatabase();
  store = openStore({ databaseUrl: database.url, schema: "service" });
  keys = keysIn(store);
  const access = meteredAccess({
    keys,
    reservations: reservationsIn(store),
    limits: limitsIn(store),
    payments: null,
    freeItems: 500,
  });
  scene = await openScene({ access, callerOf: callerBehind(1) });
});
afterAll(async () => {
  await scene.close();
  await store.close();
  await database.drop();
});

const createKey = (credits: number) =>
  keys.create({ label: "test", owner: null, credits, reason: "for a test" });

const EPOCH = new Date(0);
const ledgerOf = async (id: number) =>
  (await keys.usage(id, EPOCH)).sort((a, b) => a.operation.localeCompare(b.operation));

const errorOf = ({ content }: Result) => JSON.parse(content[0]?.text ?? "").error as { code: string };
const accessOf = ({ _meta }: Result) => (_meta?.["namedex/access"] ?? {}) as Record<string, string>;

let lastAddress = 0;
const newAddress = () => ({ "X-Forwarded-For": `198.51.100.${++lastAddress}` });

/** The long proofs use all clients. */
const paying = Object.entries(clients).slice(isLong() ? 0 : -1);

describe.each(paying)("%s", (_, connect) => {
  const using = async (headers: Record<string, string>, act: (client: AnyClient) => Promise<void>) => {
    const client = await connect(`${scene.url}/mcp`, headers);
    await act(client).finally(() => client.close());
  };

  test("a key pays for tools exactly what it pays over HTTP, operation by operation", async () => {
    const [overMcp, overHttp] = [await createKey(1_000), await createKey(1_000)];
    await using({ "X-API-Key": overMcp.key }, async (client) => {
      for (const [tool, args] of pairs) expect((await client.call(tool, args)).isError ?? false).toBe(false);
      expect((await client.call("whois", { name: "a..b" })).isError).toBe(true);
      expect((await client.call("whois", { name: "x.strange.eth" })).isError).toBe(true);
    });
    const paths = [
      ...pairs.map(([, , path, body]) => ({ path, body })),
      { path: "/whois/x.strange.eth", body: undefined },
    ];
    for (const { path, body } of paths) {
      const headers = { "X-API-Key": overHttp.key, "content-type": "application/json" };
      await fetch(`${scene.url}${path}`, {
        headers,
        ...(body !== undefined && { method: "POST", body: JSON.stringify(body) }),
      });
    }
    const ledger = await ledgerOf(overMcp.id);
    expect(ledger).toEqual(await ledgerOf(overHttp.id));
    expect(ledger.length).toBeGreaterThan(12);
    expect((await keys.find(overMcp.key))?.credits).toBe((await keys.find(overHttp.key))?.credits);
  });

  test("each answer gives the remaining credits, and reports an empty key", async () => {
    const { key } = await createKey(3);
    await using({ "X-API-Key": key }, async (client) => {
      const first = await client.call("whois_bulk", { names: ["alice.eth", "grace.eth"] });
      expect(accessOf(first)).toEqual({ "x-credits-remaining": "1" });
      const tooCostly = await client.call("whois_bulk", { names: ["alice.eth", "grace.eth"] });
      expect(tooCostly.isError).toBe(true);
      expect(errorOf(tooCostly).code).toBe("PAYMENT_REQUIRED");
      expect(accessOf(tooCostly)).toEqual({ "x-credits-remaining": "1" });
      expect(accessOf(await client.call("whois", { name: "alice.eth" }))).toEqual({
        "x-credits-remaining": "0",
      });
      expect((await client.call("get_statistics")).isError ?? false).toBe(false);
    });
  });

  test("a wrong or revoked key is never answered for free", async () => {
    const { id, key } = await createKey(3);
    await keys.revoke(id);
    for (const wrong of [key, "ens_guess", ""]) {
      await using({ "X-API-Key": wrong, ...newAddress() }, async (client) => {
        const result = await client.call("whois", { name: "alice.eth" });
        expect(result.isError).toBe(true);
        expect(errorOf(result).code).toBe("INVALID_API_KEY");
        expect(JSON.stringify(result)).not.toContain(key);
      });
    }
  });

  test("without a key, five calls a minute are free, shared with HTTP; lists, documents and statistics are always free", async () => {
    const address = newAddress();
    await using(address, async (client) => {
      for (let i = 0; i < 3; i++) {
        expect((await client.call("whois", { name: "alice.eth" })).isError ?? false).toBe(false);
      }
      for (let i = 0; i < 2; i++) {
        expect((await fetch(`${scene.url}/whois/alice.eth`, { headers: address })).status).toBe(200);
      }
      const sixth = await client.call("whois", { name: "alice.eth" });
      expect(sixth.isError).toBe(true);
      expect(errorOf(sixth).code).toBe("RATE_LIMITED");
      expect(Number(accessOf(sixth)["retry-after"])).toBeGreaterThan(0);
      expect(accessOf(sixth).ratelimit).toContain("r=0");
      expect((await client.call("get_statistics", { view: "totals" })).isError ?? false).toBe(false);
      expect((await client.tools()).length).toBe(18);
      expect(await client.read("namedex://docs/trust")).toContain("untrusted");
    });
  });
});

test("calls in one batch are counted one by one", async () => {
  const { key } = await createKey(2);
  const call = (id: number) => ({
    jsonrpc: "2.0",
    id,
    method: "tools/call",
    params: { name: "whois", arguments: { name: "alice.eth" } },
  });
  const reply = await fetch(`${scene.url}/mcp`, {
    method: "POST",
    headers: { "X-API-Key": key, "content-type": "application/json", accept: "*/*" },
    body: JSON.stringify([1, 2, 3, 4, 5].map(call)),
  });
  const results = [...(await reply.text()).matchAll(/^data: (.*)$/gm)].map(
    ([, data = ""]) => JSON.parse(data).result as Result,
  );
  expect(results.length).toBe(5);
  expect(results.filter(({ isError }) => !isError).length).toBe(2);
  expect((await keys.find(key))?.credits).toBe(0);
});
