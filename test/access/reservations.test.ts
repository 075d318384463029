import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  HELD_SECONDS,
  type Reservations,
  reservationsIn,
} from "../../src/api/server/serviceDb/reservations.ts";
import { signupsIn } from "../../src/api/server/serviceDb/signups.ts";
import { heldWork, type Service, startService } from "./service.ts";

let service: Service;
let reservations: Reservations;

beforeAll(async () => {
  service = await startService({ trustedProxies: 1 });
  reservations = reservationsIn(service.store);
});
afterAll(() => service?.close());
beforeEach(() => {
  heldWork.begun = 0;
});

const operation = "GET /held";
const patience = { timeout: 30_000 };
const owner = `0x${"ab".repeat(20)}`;
const other = `0x${"cd".repeat(20)}`;
const held = (key: string, query = "") => service.get(`/held${query}`, { "X-API-Key": key });

/** Keeps the work of `/held` from ending. Returns the function that lets it end. */
function holdWork(): () => void {
  let release = () => {};
  heldWork.until = new Promise((resolve) => {
    release = resolve;
  });
  return release;
}

/** Keys whose credits differ from the sum of their ledger. */
const wrongKeys = () =>
  service.store.query(
    `SELECT k.id, k.credits, sum(l.credits) AS noted FROM api_keys k JOIN ledger l ON l.key_id = k.id
    GROUP BY k.id HAVING k.credits <> sum(l.credits)`,
  );

const statusesOf = async (replies: Promise<{ status: number }>[]) =>
  (await Promise.all(replies)).map(({ status }) => status).sort();

/** Makes a reservation look as if its process had died long ago. */
const abandon = (id: string) =>
  service.store.query(
    "UPDATE ledger SET reserved_until = reserved_until - make_interval(secs => $2) WHERE id = $1",
    [id, HELD_SECONDS + 1],
  );

describe("parallel requests", () => {
  test("with one credit between them: one does its work", async () => {
    const { key } = await service.createKey(1);
    const release = holdWork();
    let refused = 0;
    const asked = Array.from({ length: 50 }, async () => {
      const reply = await held(key);
      if (reply.status === 402) refused++;
      return reply;
    });
    // The others are refused while that one's work goes on.
    await expect.poll(() => refused + heldWork.begun, patience).toBe(50);
    expect(heldWork.begun).toBe(1);
    expect(await wrongKeys()).toEqual([]);
    release();
    expect(await statusesOf(asked)).toEqual([200, ...Array(49).fill(402)]);
    expect(await service.balanceOf(key)).toBe(0);
    expect(await wrongKeys()).toEqual([]);
  });

  test("that fail get their credit back, and say so", async () => {
    const { id, key } = await service.createKey(3);
    const release = holdWork();
    const asked = [held(key, "?fails=true"), held(key, "?fails=true"), held(key)];
    await expect.poll(() => heldWork.begun, patience).toBe(3);
    expect((await held(key)).status).toBe(402);
    release();
    expect(await statusesOf(asked)).toEqual([200, 502, 502]);
    const failed = await held(key, "?fails=true");
    expect([failed.status, failed.headers.get("x-credits-remaining")]).toEqual([502, "2"]);
    expect(await service.balanceOf(key)).toBe(2);
    expect(await service.keys.usage(id, new Date(0))).toMatchObject([{ requests: 1, credits: 1 }]);
    expect(await wrongKeys()).toEqual([]);
  });
});

describe("a reservation", () => {
  test("of a process that died is given back once, by whichever replica comes first", async () => {
    const { key } = await service.createKey(2);
    const [dead, alive] = [
      await reservations.reserve(key, { credits: 1, operation }),
      await reservations.reserve(key, { credits: 1, operation }),
    ];
    await abandon(dead?.id ?? "");
    await Promise.all([1, 2, 3].map(() => reservations.giveBackAbandoned()));
    expect(await service.balanceOf(key)).toBe(1);
    expect(await wrongKeys()).toEqual([]);
    expect(await reservations.settle(alive?.id ?? "")).toBe(true);
    expect(await reservations.refund(alive?.id ?? "")).toBeNull();
    expect(await service.balanceOf(key)).toBe(1);
  });

  test.each([
    [2, 200],
    [1, 402],
  ])(
    "given back too early, with %i credits, is charged when the answer comes: %i",
    async (credits, status) => {
      const { id, key } = await service.createKey(credits);
      const release = holdWork();
      const asked = held(key);
      await expect.poll(() => heldWork.begun, patience).toBe(1);
      const [open] = await service.store.query<{ id: string }>(
        "SELECT id FROM ledger WHERE key_id = $1 AND reserved_until IS NOT NULL",
        [id],
      );
      await abandon(open?.id ?? "");
      await reservations.giveBackAbandoned();
      if (credits === 1) await service.keys.charge(id, { credits: 1, operation });
      release();
      expect((await asked).status).toBe(status);
      expect(await service.balanceOf(key)).toBe(credits - 1);
      expect(await wrongKeys()).toEqual([]);
    },
  );

  test("is not counted as usage until its request is answered", async () => {
    const { id, key } = await service.createKey(2);
    const reservation = await reservations.reserve(key, { credits: 2, operation });
    expect(await service.keys.usage(id, new Date(0))).toEqual([]);
    await reservations.settle(reservation?.id ?? "");
    expect(await service.keys.usage(id, new Date(0))).toMatchObject([{ operation, credits: 2 }]);
  });
});

describe("a key that is replaced while requests are answered", () => {
  test("passes its credits to the next key, including those of requests that fail", async () => {
    const signups = signupsIn(service.store);
    const signUp = async () => {
      const { nonce } = await signups.createNonce({ seconds: 60 });
      const made = await signups.signUp({ owner, nonce, credits: 10 });
      return made.kind === "key" ? made.key : "";
    };
    const first = await signUp();
    const release = holdWork();
    const asked = [held(first), held(first, "?fails=true")];
    await expect.poll(() => heldWork.begun, patience).toBe(2);
    const second = await signUp();
    expect(await service.balanceOf(second)).toBe(8);
    expect(await wrongKeys()).toEqual([]);
    release();
    expect(await statusesOf(asked)).toEqual([200, 502]);
    expect(await service.balanceOf(second)).toBe(9);
    expect(await wrongKeys()).toEqual([]);
    const usedBefore = await service.keys.usage((await service.keys.find(second))?.id ?? 0, new Date(0));
    expect(usedBefore).toMatchObject([{ operation, requests: 1, credits: 1 }]);
  });

  test("at the same moment loses or doubles no credit", async () => {
    const signups = signupsIn(service.store);
    const { key } = await service.createKey(30);
    await service.store.query("UPDATE api_keys SET owner = $2 WHERE key_hash = sha256($1::bytea)", [
      key,
      other,
    ]);
    await service.store.query(
      "INSERT INTO signups (owner, key_id) SELECT owner, id FROM api_keys WHERE owner = $1",
      [other],
    );
    heldWork.until = Promise.resolve();
    const asked = Array.from({ length: 20 }, (_, i) => held(key, i % 2 ? "?fails=true" : ""));
    const replaced = Promise.all(
      [1, 2, 3].map(async () => {
        const { nonce } = await signups.createNonce({ seconds: 60 });
        return signups.signUp({ owner: other, nonce, credits: 10 });
      }),
    );
    const statuses = await statusesOf(asked);
    await replaced;
    const answered = statuses.filter((status) => status === 200).length;
    expect(statuses.filter((status) => ![200, 401, 502].includes(status))).toEqual([]);
    expect(await wrongKeys()).toEqual([]);
    // One that moved twice while being given back is given back with the abandoned ones.
    const open = await service.store.query<{ id: string }>(
      "SELECT l.id FROM ledger l JOIN api_keys k ON k.id = l.key_id WHERE owner = $1 AND reserved_until IS NOT NULL",
      [other],
    );
    for (const { id } of open) await abandon(id);
    await reservations.giveBackAbandoned();
    expect(await wrongKeys()).toEqual([]);
    const [total] = await service.store.query(
      "SELECT sum(credits)::int AS left FROM api_keys WHERE owner = $1",
      [other],
    );
    expect(total).toEqual({ left: 30 - answered });
  });
});
