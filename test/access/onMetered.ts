import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { keysIn } from "../../src/api/server/serviceDb/keys.ts";
import { openStore, type Store } from "../../src/api/server/serviceDb/store.ts";
import type { Replica, Stack } from "../support/stack.ts";

/**
 * Two replicas and their indexer on one database, over HTTP. `X-Forwarded-For` identifies callers.
 */
export function describeReplicas(stackOf: () => Stack, replicasOf: () => [Replica, Replica]): void {
  let store: Store;
  beforeAll(() => {
    store = openStore({ databaseUrl: stackOf().databaseUrl, schema: "namedex_service" });
  });
  afterAll(() => store?.close());

  /** A name that was never registered, answered from the index. */
  const path = (i: number) => `/whois/unregistered${i}.eth`;

  /**
   * Sends `count` requests, at most a thousand a second, to the replicas in turn. Counts answers
   * by status.
   */
  async function askAll(count: number, headers: Record<string, string> = {}) {
    const replies = await Promise.all(
      Array.from({ length: count }, async (_, i) => {
        await sleep(i);
        const reply = await fetch(`${(replicasOf()[i % 2] as Replica).url}${path(i)}`, {
          headers: { "X-Forwarded-For": "198.51.100.7", ...headers },
        });
        return {
          status: reply.status,
          body: await reply.text(),
          left: reply.headers.get("x-credits-remaining"),
        };
      }),
    );
    const byStatus = new Map<number, number>();
    for (const { status } of replies) byStatus.set(status, (byStatus.get(status) ?? 0) + 1);
    return { replies, byStatus: Object.fromEntries(byStatus) };
  }

  /** The replicas' warnings and errors. */
  const faults = (): string =>
    replicasOf()
      .map(({ output }) => output().slice(-2_000))
      .join("\n");

  describe("two replicas", () => {
    test("answer 500 of 1,000 parallel requests of a key with 500 credits, and charge 500", async () => {
      const keys = keysIn(store);
      const { id, key } = await keys.create({
        label: "load",
        owner: null,
        credits: 500,
        reason: "for a test",
      });
      const { replies, byStatus } = await askAll(1_000, { "X-API-Key": key });
      expect(byStatus, `${replies[0]?.body}\n${faults()}`).toEqual({ 200: 500, 402: 500 });
      const answered = replies.filter(({ status }) => status === 200);
      expect(answered.every(({ body }) => body.includes('"availability_status":"available"'))).toBe(true);
      // Each answer took its own credit.
      expect(new Set(answered.map(({ left }) => left)).size).toBe(500);
      expect(await keys.find(key)).toEqual({ id, credits: 0, isRevoked: false });
      const ledger = await store.query(
        "SELECT credits, reason, count(*) FROM ledger WHERE key_id = $1 AND credits < 0 GROUP BY 1, 2",
        [id],
      );
      expect(ledger).toEqual([{ credits: "-1", reason: "GET /whois/{name}", count: "500" }]);
    });

    test("answer 5 of 20 parallel requests of an address without a key", async () => {
      const { replies, byStatus } = await askAll(20);
      expect(byStatus, replies[0]?.body).toEqual({ 200: 5, 429: 15 });
    });
  });

  test("no secret that was sent is logged, whatever became of the request", async () => {
    const { key } = await keysIn(store).create({
      label: "secret",
      owner: null,
      credits: 99,
      reason: "for a test",
    });
    const [{ url, output }] = replicasOf();
    const unknown = `ens_${"Q".repeat(32)}`;
    const credential = "Payment c2VjcmV0LWNyZWRlbnRpYWw";
    for (const secret of [{ "X-API-Key": key }, { "X-API-Key": unknown }, { Authorization: credential }]) {
      for (const asked of [
        "/whois/alice.eth",
        "/whois/a..b",
        "/nowhere",
        "/domain/alice.eth/records?types=odd",
      ]) {
        const reply = await fetch(`${url}${asked}`, { headers: secret });
        const text = JSON.stringify([...reply.headers]) + (await reply.text());
        for (const value of Object.values(secret)) expect(text).not.toContain(value);
      }
    }
    // An internal error while a key is in use: the log has the statement, not the caller.
    await store.query("ALTER TABLE ledger RENAME TO ledger_away");
    expect((await fetch(`${url}/whois/alice.eth`, { headers: { "X-API-Key": key } })).status).toBe(500);
    await store.query("ALTER TABLE ledger_away RENAME TO ledger");
    const printed =
      replicasOf()
        .map((replica) => replica.output())
        .join("\n") + stackOf().log();
    expect(output()).toContain('"message":"request failed"');
    for (const secret of [key, unknown, "c2VjcmV0LWNyZWRlbnRpYWw"]) expect(printed).not.toContain(secret);
  });
}
