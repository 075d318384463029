import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { PaymentSettings } from "../../settings/payments.ts";
import { createPayments } from "../../src/api/server/access/payment.ts";
import { type Service, startService } from "./service.ts";

const nowhere: PaymentSettings = {
  recipient: `0x${"11".repeat(20)}`,
  currency: `0x${"20".repeat(20)}`,
  pricePerCredit: "0.001",
  realm: "api.example.org",
  secretKey: "s".repeat(32),
  chainId: 4_217,
  rpcUrl: "http://127.0.0.1:1",
};

let service: Service;
beforeAll(async () => {
  // Behind a proxy, so that each test can use its own address.
  service = await startService({ trustedProxies: 1 });
});
afterAll(() => service?.close());

let lastAddress = 0;
const fromNewAddress = () => ({ "X-Forwarded-For": `198.51.100.${++lastAddress}` });

const fault = (code: string) => ({ error: { code, message: expect.stringMatching(/\S.*\.$/) } });

describe("without a key", () => {
  test("five requests a minute are answered, and the sixth learns when to retry", async () => {
    const from = fromNewAddress();
    const replies = [];
    const began = Date.now();
    for (let i = 0; i < 6; i++) replies.push(await service.get(`/one/${i}`, from));
    const least = 60 - Math.ceil((Date.now() - began) / 1_000);
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 429]);
    for (const [i, { headers }] of replies.entries()) {
      expect(headers.get("ratelimit-policy")).toBe('"anon";q=5;w=60');
      const [, seconds] = headers.get("ratelimit")?.match(`^"anon";r=${Math.max(0, 4 - i)};t=(\\d+)$`) ?? [];
      expect(Number(seconds)).toBeGreaterThanOrEqual(least);
      expect(Number(seconds)).toBeLessThanOrEqual(60);
    }
    const refused = replies[5];
    expect(refused?.body).toEqual(fault("RATE_LIMITED"));
    expect(Number(refused?.headers.get("retry-after"))).toBeGreaterThanOrEqual(least);
    expect(replies[0]?.headers.get("retry-after")).toBeNull();
  });

  test("five of twenty parallel requests are answered, through both prefixes", async () => {
    const from = fromNewAddress();
    const asked = Array.from({ length: 20 }, (_, i) => service.get(i % 2 ? "/one/a" : "/api/one/a", from));
    const statuses = (await Promise.all(asked)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(5);
    expect(statuses.filter((status) => status === 429)).toHaveLength(15);
  });

  test("each address has its own five, and all addresses of an IPv6 network share them", async () => {
    const asked = async (address: string) =>
      (await service.get("/one/a", { "X-Forwarded-For": address })).status;
    const network = ["2001:db8:0:1::1", "2001:db8:0:1::2", "2001:db8:0:1:ffff::", "2001:DB8::1:0:0:0:5"];
    const statuses = [];
    for (const address of [...network, ...network]) statuses.push(await asked(address));
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429, 429]);
    expect(await asked("2001:db8:0:2::1")).toBe(200);
    expect(await asked("::ffff:203.0.113.9")).toBe(200);
  });

  test("a request for many items counts as one of the five, up to the number of items the operator allows", async () => {
    const from = fromNewAddress();
    const bulk = async (at: Service, items: number) => {
      const { status, headers, body } = await at.post("/bulk", { names: Array(items).fill("a") }, from);
      return [status, headers.get("ratelimit")?.match(/r=\d+/)?.[0], body.error?.code, body.error?.message];
    };
    expect(await bulk(service, 500)).toEqual([200, "r=4", undefined, undefined]);
    expect(await bulk(service, 6)).toEqual([200, "r=3", undefined, undefined]);
    const narrow = await startService({ trustedProxies: 1, freeItems: 20 });
    const why =
      "Without a key, a request has at most 20 items (FREE_BULK_ITEMS), and this one has 21; a key in X-API-Key has no such limit.";
    expect(await bulk(narrow, 21)).toEqual([400, undefined, "LIMIT_EXCEEDED", why]);
    expect(await bulk(narrow, 20)).toEqual([200, "r=4", undefined, undefined]);
    const { key } = await narrow.createKey(21);
    const keyed = await narrow.post("/bulk", { names: Array(21).fill("a") }, { "X-API-Key": key });
    expect(keyed.status).toBe(200);
    await narrow.close();
  });

  test("of many parallel requests for many items, only the free ones are answered", async () => {
    const from = fromNewAddress();
    const asked = Array.from({ length: 20 }, () => service.post("/bulk", { names: ["a", "b"] }, from));
    const answered = (await Promise.all(asked)).filter(({ status }) => status === 200);
    expect(answered).toHaveLength(5);
  });

  test("the window ends", async () => {
    const from = fromNewAddress();
    for (let i = 0; i < 4; i++) await service.get("/one/a", from);
    await service.store.query("UPDATE rate_limits SET expire = 0 WHERE key = $1", [
      `anon:${from["X-Forwarded-For"]}`,
    ]);
    const { headers } = await service.get("/one/a", from);
    expect(headers.get("ratelimit")).toContain(";r=4;");
  });

  test("free operations are not counted and stay public", async () => {
    const from = fromNewAddress();
    for (let i = 0; i < 8; i++) expect((await service.get("/free", from)).status).toBe(200);
    const { headers } = await service.get("/free", { ...from, "X-API-Key": "wrong" });
    expect(headers.get("cache-control")).toBe("public, max-age=60");
    expect(headers.get("ratelimit")).toBeNull();
    expect((await service.get("/one/a", from)).headers.get("ratelimit")).toContain(";r=4;");
  });

  test("an invalid request is answered without being counted", async () => {
    const from = fromNewAddress();
    for (let i = 0; i < 8; i++) expect((await service.get("/fails?as=odd", from)).status).toBe(400);
  });

  test("no shared cache keeps an answer", async () => {
    const { headers } = await service.get("/one/a", fromNewAddress());
    expect(headers.get("cache-control")).toBe("private, no-cache");
  });

  test("no request is answered uncounted while the database is away", async () => {
    const log = vi.spyOn(console, "error").mockImplementation(() => {});
    const away = await startService({ databaseUrl: "postgresql://user@127.0.0.1:1/none" });
    const anonymous = await away.get("/one/a");
    const keyed = await away.get("/one/a", { "X-API-Key": `ens_${"a".repeat(32)}` });
    expect([anonymous.status, keyed.status]).toEqual([503, 503]);
    expect(anonymous.body).toEqual(fault("INDEX_NOT_READY"));
    expect(Number(anonymous.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await away.get("/free")).status).toBe(200);
    await away.close();
    log.mockRestore();
  });
});

describe("with a key", () => {
  test("a request costs a credit, and each answer gives the balance", async () => {
    const { key } = await service.createKey(3);
    const left = [];
    for (let i = 0; i < 3; i++) {
      const { status, headers } = await service.get("/one/a", { "X-API-Key": key });
      left.push([status, headers.get("x-credits-remaining"), headers.get("cache-control")]);
    }
    expect(left).toEqual(["2", "1", "0"].map((credits) => [200, credits, "private, no-cache"]));
    const refused = await service.get("/one/a", { "X-API-Key": key });
    expect(refused).toMatchObject({ status: 402, body: fault("PAYMENT_REQUIRED") });
    expect(refused.headers.get("x-credits-remaining")).toBe("0");
  });

  test("no work is done for a key that cannot pay for it", async () => {
    const { key } = await service.createKey(0);
    // The work would fail with a 502.
    expect((await service.get("/fails?as=LIVE_RESOLUTION_FAILED", { "X-API-Key": key })).status).toBe(402);
  });

  test("there is no limit by address, and none is mentioned", async () => {
    const { key } = await service.createKey(100);
    const from = fromNewAddress();
    for (let i = 0; i < 10; i++) await service.get("/one/a", { ...from, "X-API-Key": key });
    const { status, headers } = await service.get("/one/a", { ...from, "X-API-Key": key });
    expect([status, headers.get("ratelimit")]).toEqual([200, null]);
  });

  test("bulk costs a credit for each item, all or nothing", async () => {
    const { key } = await service.createKey(7);
    const bulk = (items: number) =>
      service.post("/bulk", { names: Array(items).fill("a") }, { "X-API-Key": key });
    expect((await bulk(5)).headers.get("x-credits-remaining")).toBe("2");
    const refused = await bulk(3);
    expect(refused).toMatchObject({ status: 402, body: fault("PAYMENT_REQUIRED") });
    expect(refused.body.error?.message).toBe("The key has 2 credits left and this request costs 3.");
    expect((await bulk(2)).headers.get("x-credits-remaining")).toBe("0");
  });

  test("errors cost nothing, whoever caused them", async () => {
    const log = vi.spyOn(console, "error").mockImplementation(() => {});
    const { id, key } = await service.createKey(2);
    const ask = (as: string) => service.get(`/fails?as=${as}`, { "X-API-Key": key });
    const statuses = [];
    for (const as of ["INVALID_NAME", "LIVE_RESOLUTION_FAILED", "nothing foreseen", "odd"]) {
      statuses.push((await ask(as)).status);
    }
    expect(statuses).toEqual([400, 502, 500, 400]);
    expect((await ask("LIVE_RESOLUTION_FAILED")).headers.get("x-credits-remaining")).toBe("2");
    expect((await service.get("/nowhere", { "X-API-Key": key })).status).toBe(404);
    expect((await service.post("/bulk", { names: 1 }, { "X-API-Key": key })).status).toBe(400);
    expect(await service.balanceOf(key)).toBe(2);
    expect(await service.keys.usage(id, new Date(0))).toEqual([]);
    log.mockRestore();
  });

  test("if requests together cost more than the balance, exactly the charged ones are answered", async () => {
    const { id, key } = await service.createKey(30);
    const asked = Array.from({ length: 90 }, () => service.get("/one/a", { "X-API-Key": key }));
    const statuses = (await Promise.all(asked)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(30);
    expect(statuses.filter((status) => status === 402)).toHaveLength(60);
    expect(await service.balanceOf(key)).toBe(0);
    const [usage] = await service.keys.usage(id, new Date(0));
    expect(usage).toMatchObject({ operation: "GET /one/{name}", requests: 30, credits: 30 });
  });

  test("every balance is the sum of its ledger", async () => {
    const { key } = await service.createKey(50);
    const { id } = await service.createKey(5);
    await service.keys.grant(id, { credits: 5, reason: "a gift" });
    await Promise.all(Array.from({ length: 20 }, () => service.get("/one/a", { "X-API-Key": key })));
    const rows = await service.store.query(
      `SELECT k.id FROM api_keys k JOIN ledger l ON l.key_id = k.id
      GROUP BY k.id HAVING k.credits <> sum(l.credits) OR k.credits <> (array_agg(l.balance ORDER BY l.id DESC))[1]`,
    );
    expect(rows).toEqual([]);
  });
});

describe("with a wrong key", () => {
  const unknown = `ens_${"a".repeat(32)}`;
  const wrong: [what: string, key: string][] = [
    ["an unknown one", unknown],
    ["an empty one", ""],
    ["one of 10 KB", "a".repeat(10_000)],
    ["bytes beyond ASCII", "ens_\u00e9\u00ff"],
    ["SQL", "' OR true --"],
    ["a list", `${unknown}, ${unknown}`],
  ];

  test.each(wrong)("%s is 401, even with free requests left", async (_, key) => {
    const reply = await service.get("/one/a", { ...fromNewAddress(), "X-API-Key": key });
    expect(reply).toMatchObject({ status: 401, body: fault("INVALID_API_KEY") });
    expect(reply.headers.get("www-authenticate")).toBe('ApiKey realm="namedex"');
    expect(reply.headers.get("x-credits-remaining")).toBeNull();
  });

  test("a right key sent twice is 401, because it is unclear which of the two would pay", async () => {
    const { key } = await service.createKey(5);
    const twice = new Headers({ "X-API-Key": key, ...fromNewAddress() });
    twice.append("X-API-Key", key);
    expect((await service.get("/one/a", twice)).status).toBe(401);
    expect(await service.balanceOf(key)).toBe(5);
  });

  test("a revoked one is 401 and says so, from the next request on", async () => {
    const { id, key } = await service.createKey(5);
    expect((await service.get("/one/a", { "X-API-Key": key })).status).toBe(200);
    await service.keys.revoke(id);
    const reply = await service.get("/one/a", { ...fromNewAddress(), "X-API-Key": key });
    expect(reply).toMatchObject({ status: 401, body: { error: { message: "The API key is revoked." } } });
  });

  test("twenty a minute are checked, further ones wait, and right keys keep working", async () => {
    const from = fromNewAddress();
    const guess = (i: number) =>
      service.get("/one/a", { ...from, "X-API-Key": `ens_${String(i).padStart(32, "0")}` });
    const replies = await Promise.all(Array.from({ length: 50 }, (_, i) => guess(i)));
    const statuses = replies.map(({ status }) => status);
    expect(statuses.filter((status) => status === 401)).toHaveLength(20);
    expect(statuses.filter((status) => status === 429)).toHaveLength(30);
    const refused = await guess(99);
    expect(refused.body).toEqual(fault("RATE_LIMITED"));
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(refused.headers.get("ratelimit-policy")).toBe('"failures";q=20;w=60');
    const { key } = await service.createKey(1);
    expect((await service.get("/one/a", { ...from, "X-API-Key": key })).status).toBe(200);
    expect((await service.get("/one/a", from)).status).toBe(200);
  });
});

describe("with wrong payments", () => {
  test("twenty a minute are checked, further ones wait, and keys and free requests keep working", async () => {
    // No node is needed to tell whether this service asked for a payment.
    const paid = await startService({ payments: (store) => createPayments(nowhere, store) });
    const pay = () => paid.get("/one/a", { Authorization: "Payment bm90aGluZw" });
    const statuses = [];
    for (let i = 0; i < 23; i++) statuses.push((await pay()).status);
    expect(statuses).toEqual([...Array(20).fill(402), 429, 429, 429]);
    expect((await pay()).body).toEqual(fault("RATE_LIMITED"));
    const { key } = await paid.createKey(1);
    expect((await paid.get("/one/a", { "X-API-Key": key })).status).toBe(200);
    expect((await paid.get("/one/a")).status).toBe(200);
    await paid.close();
  });
});
