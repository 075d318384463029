import fc from "fast-check";
import { verify, WebhookError } from "namedex-client";
import { Webhook as Standard } from "standardwebhooks";
import { describe, expect, test } from "vitest";
import { type ChangeFilters, isWanted } from "../../src/api/features/feed/filters.ts";
import type { ChangeRow } from "../../src/api/features/feed/rows.ts";
import { createHosts, LEFT_ALONE_MS, SILENT_ATTEMPTS } from "../../src/api/features/webhooks/hosts.ts";
import { bodyOf } from "../../src/api/features/webhooks/message.ts";
import { MAX_RETRY_AFTER, WAITS, waitAfter } from "../../src/api/features/webhooks/schedule.ts";
import { newSecret, openSecret, sealSecret, signatureOf } from "../../src/api/features/webhooks/secrets.ts";
import { indexSubscriptions, type Subscription } from "../../src/api/features/webhooks/subscriptions.ts";
import { account, transaction } from "../query/rows.ts";

const seed = Number(process.env.FUZZ_SEED ?? 7);

describe("subscriptions", () => {
  const node = fc.integer({ min: 1, max: 4 }).map(transaction);
  const address = fc.integer({ min: 1, max: 4 }).map((n) => account(n));
  const name = fc.constantFrom("eth", "alice.eth", "pay.alice.eth", "xalice.eth", "bob.eth");
  const type = fc.constantFrom("name.renewed", "resolver.changed", "chain.finalized", "block.ended");
  const maybe = <T>(one: fc.Arbitrary<T>) => fc.option(one, { nil: undefined, freq: 2 });
  const filters: fc.Arbitrary<ChangeFilters> = fc.record({
    types: maybe(fc.array(type, { minLength: 1, maxLength: 2 })),
    node: maybe(node),
    subtree: maybe(name),
    chainIds: maybe(fc.subarray([1, 10], { minLength: 1 })),
    address: maybe(address),
    resolver: maybe(address),
  });
  const row = fc
    .record({
      type,
      chainId: fc.constantFrom(1, 10),
      source: fc.constantFrom(null, "domains"),
      node: fc.option(node),
      name: fc.option(name),
      resolver: fc.option(address),
      addresses: fc.array(address, { maxLength: 3 }),
    })
    .map((known) => known as unknown as ChangeRow);

  test("the index finds the same subscriptions as comparing each one, once", () => {
    fc.assert(
      fc.property(fc.array(filters, { maxLength: 30 }), row, (all, change) => {
        const list = all.map((one, id): Subscription => ({ id, keyId: 1, timing: "instant", filters: one }));
        const found = indexSubscriptions(list).wanting(change, "instant");
        const wanted = list.filter((one) => isWanted(change, one.filters));
        expect(found.map(({ id }) => id).sort((a, b) => a - b)).toEqual(wanted.map(({ id }) => id));
        expect(indexSubscriptions(list).wanting(change, "final")).toEqual([]);
      }),
      { seed, numRuns: 500 },
    );
  });

  test("10,000 subscriptions by name add no cost to a change of another name", () => {
    const list = Array.from({ length: 10_000 }, (_, i): Subscription => {
      return { id: i, keyId: i, timing: "instant", filters: { node: transaction(i) } };
    });
    const index = indexSubscriptions(list);
    const before = performance.now();
    const change = { type: "name.renewed", node: transaction(77), name: null, addresses: [], resolver: null };
    for (let i = 0; i < 1_000; i++) {
      expect(index.wanting({ ...change, source: "domains" } as unknown as ChangeRow, "instant")).toHaveLength(
        1,
      );
    }
    expect(performance.now() - before).toBeLessThan(2_000);
  });
});

describe("waits", () => {
  test("grow with jitter, and a busy receiver may ask for longer ones within bounds", () => {
    const of = (failures: number, more = {}) => ({ failures, status: 500, retryAfter: null, ...more });
    expect(WAITS.map((_, i) => waitAfter(of(i + 1), 0.5))).toEqual(WAITS);
    expect(waitAfter(of(99), 0.5)).toBe(WAITS.at(-1));
    expect([waitAfter(of(3), 0), waitAfter(of(3), 1)].map(Math.round)).toEqual([96, 144]);
    expect(waitAfter(of(1, { status: 429, retryAfter: "60" }), 0.5)).toBe(60);
    expect(waitAfter(of(1, { status: 429, retryAfter: "0" }), 0.5)).toBe(5);
    expect(waitAfter(of(1, { status: 503, retryAfter: "99999" }), 0.5)).toBe(MAX_RETRY_AFTER);
    expect(waitAfter(of(1, { status: 500, retryAfter: "60" }), 0.5)).toBe(5);
    expect(waitAfter(of(1, { status: 503, retryAfter: "soon" }), 0.5)).toBe(5);
    const date = new Date(Date.now() + 600_000).toUTCString();
    expect(waitAfter(of(1, { status: 503, retryAfter: date }), 0.5)).toBeGreaterThan(590);
  });

  test("a host that answers nothing is left alone until its next attempt is due", () => {
    let now = 0;
    const hosts = createHosts(() => now);
    for (let i = 0; i < SILENT_ATTEMPTS; i++) {
      expect(hosts.waitFor("a")).toBe(0);
      hosts.note("a", { isSilent: true });
    }
    expect([hosts.waitFor("a"), hosts.waitFor("b")]).toEqual([LEFT_ALONE_MS, 0]);
    now = LEFT_ALONE_MS;
    expect(hosts.waitFor("a")).toBe(0);
    hosts.note("a", { isSilent: true });
    expect(hosts.waitFor("a")).toBe(LEFT_ALONE_MS);
    hosts.note("a", { isSilent: false });
    expect(hosts.waitFor("a")).toBe(0);
  });
});

describe("secrets", () => {
  const key = Buffer.alloc(32, 1);

  test("are read with their key, for their webhook, and as they were stored", () => {
    const secret = newSecret();
    const stored = sealSecret(secret, { key, webhookId: 5 });
    expect(openSecret(stored, { key, webhookId: 5 })).toBe(secret);
    expect(() => openSecret(stored, { key, webhookId: 6 })).toThrow();
    expect(() => openSecret(stored, { key: Buffer.alloc(32, 2), webhookId: 5 })).toThrow();
    for (let i = 0; i < stored.length; i++) {
      const other = Buffer.from(stored);
      other.writeUInt8(other.readUInt8(i) ^ 1, i);
      expect(() => openSecret(other, { key, webhookId: 5 })).toThrow();
    }
    expect(sealSecret(secret, { key, webhookId: 5 }).equals(stored)).toBe(false);
  });

  test("a thin body has no values, and a service message has its own", () => {
    const data = { position: "a-1", new_value: { a: 1 }, key: "k", domain: "a.eth" };
    expect(JSON.parse(bodyOf({ type: "name.renewed", seconds: 1, data }, "thin"))).toEqual({
      type: "name.renewed",
      timestamp: "1970-01-01T00:00:01.000Z",
      data: { position: "a-1", domain: "a.eth" },
    });
    expect(
      JSON.parse(bodyOf({ type: "webhook.gap", seconds: 1, data: { reason: "x" } }, "thin")).data,
    ).toEqual({
      reason: "x",
    });
  });
});

describe("the client's verify", () => {
  const secret = newSecret();
  const body = JSON.stringify({ type: "name.renewed", timestamp: "x", data: { domain: "ä.eth" } });
  const signed = (seconds: number, by: string = secret, id = "a-1") => ({
    "webhook-id": id,
    "webhook-timestamp": String(seconds),
    "webhook-signature": signatureOf({ id, seconds, body }, [by]),
  });
  const now = () => Math.floor(Date.now() / 1_000);
  const inCase = (headers: Record<string, string>, spell: (name: string) => string) =>
    Object.fromEntries(Object.entries(headers).map(([name, value]) => [spell(name), value]));

  test("accepts what the standard's library signs, in every form of a request", async () => {
    const date = new Date();
    const headers = {
      "webhook-id": "a-1",
      "webhook-timestamp": String(Math.floor(date.getTime() / 1_000)),
      "webhook-signature": new Standard(secret).sign("a-1", date, body),
    };
    const bytes = new TextEncoder().encode(body);
    const request = new Request("https://receiver.example/", { method: "POST", headers, body });
    for (const one of [
      { headers, body },
      { headers, body: bytes },
      { headers: new Headers(headers), body },
      { headers: inCase(headers, (name) => name.toUpperCase()), body },
      { headers: inCase(headers, (name) => name.replaceAll(/\b[a-z]/g, (c) => c.toUpperCase())), body },
      request,
    ]) {
      expect(await verify(one, secret)).toMatchObject({
        id: "a-1",
        type: "name.renewed",
        data: { domain: "ä.eth" },
      });
    }
    expect(await verify({ headers, body }, [newSecret(), secret])).toMatchObject({ id: "a-1" });
  });

  test("accepts nothing else", async () => {
    const right = signed(now());
    const wrong = [
      { headers: right, body: `${body} ` },
      { headers: signed(now(), newSecret()), body },
      { headers: signed(now() - 400), body }, // Far enough from the limit of 300 for a slow machine.
      { headers: signed(now() + 400), body },
      { headers: { ...right, "webhook-id": "a-2" }, body },
      { headers: { ...right, "webhook-timestamp": String(now() - 1) }, body },
      { headers: { ...right, "webhook-timestamp": "1e9" }, body },
      { headers: { ...right, "webhook-signature": right["webhook-signature"].replace("v1,", "v2,") }, body },
      { headers: { ...right, "webhook-signature": "v1,%%%" }, body },
      { headers: { ...right, "webhook-signature": undefined }, body },
      { headers: {}, body },
    ];
    for (const one of wrong) await expect(verify(one, secret)).rejects.toThrow(WebhookError);
    for (const bad of ["whsec_%%", "whsec_", "", [], ["", secret]])
      await expect(verify({ headers: right, body }, bad)).rejects.toThrow(WebhookError);
    expect(await verify({ headers: right, body }, secret)).toMatchObject({ id: "a-1" });
  });
});
