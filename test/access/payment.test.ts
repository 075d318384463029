import { Challenge, type Credential } from "mppx";
import { Mppx, tempo } from "mppx/server";
import { keccak256 } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  challengeOf,
  expectRefusal,
  fromNewAddress,
  type PaidService,
  startPaidService,
} from "./paidService.ts";
import { altered, pay, walletOf } from "./tempo.ts";

let service: PaidService;
beforeAll(async () => {
  service = await startPaidService();
});
afterAll(() => service?.close());

type Signed = Credential.Credential<{ type: "transaction"; signature: `0x${string}` }>;

const payFor = async (challenge: Challenge.Challenge): Promise<string> => {
  const headers = new Headers({ "www-authenticate": Challenge.serialize(challenge) });
  return pay(service.chain, { account: await service.chain.createPayer(), headers });
};

describe("a payment", () => {
  test("is requested after the free requests, and gets an answer for exactly the price", async () => {
    const from = fromNewAddress();
    for (let i = 0; i < 5; i++) expect((await service.get("/one/a", from)).status).toBe(200);
    const asked = await service.get("/one/a", from);
    expectRefusal(asked, "payment-required");
    expect(asked.headers.get("retry-after")).toMatch(/^\d+$/);
    expect(asked.headers.get("access-control-expose-headers")).toContain("Payment-Receipt");
    const wallet = walletOf(service.chain, { account: await service.chain.createPayer() });
    const amount = await service.earned(async () => {
      const reply = await wallet.fetch(`${service.url}/one/a`, { headers: from });
      expect([reply.status, await reply.json()]).toEqual([200, { name: "a", as_of: [] }]);
      expect(reply.headers.get("cache-control")).toBe("private");
      const receipt = Buffer.from(reply.headers.get("payment-receipt") ?? "", "base64url").toString();
      expect(JSON.parse(receipt)).toMatchObject({
        method: "tempo",
        status: "success",
        reference: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      });
    });
    expect(amount).toBe(1_000n);
  });

  test("is requested by a challenge that names recipient, token, price, operation and five minutes", async () => {
    const { realm, method, intent, request, expires, description, opaque } = challengeOf(
      await service.ask("/api/one/a"),
    );
    const { recipient, currency, chainId } = service.settings;
    expect({ realm, method, intent, description, request }).toEqual({
      realm: "api.example.org",
      method: "tempo",
      intent: "charge",
      description: "GET /one/{name}: 1 credit",
      request: { amount: "1000", recipient, currency, methodDetails: { chainId } },
    });
    expect(Buffer.from(opaque ?? "", "base64url").toString()).toContain("GET /one/{name}");
    const seconds = (Date.parse(expires ?? "") - Date.now()) / 1000;
    expect(seconds).toBeGreaterThan(280);
    expect(seconds).toBeLessThanOrEqual(300);
  });

  test("for a batch is priced by item", async () => {
    const asked = await service.spendBulk(7, "Payment none");
    expect(challengeOf(asked)).toMatchObject({
      description: "POST /bulk: 7 credits",
      request: { amount: "7000" },
    });
    const credential = await payFor(challengeOf(asked));
    const amount = await service.earned(async () => {
      const { status, body } = await service.spendBulk(7, credential);
      expect([status, body]).toEqual([200, { count: 7, as_of: [] }]);
    });
    expect(amount).toBe(7_000n);
  });

  test("sent by the payer (push) is accepted by its hash, once", async () => {
    const account = await service.chain.createPayer();
    const { headers } = await service.ask("/one/a");
    const amount = await service.earned(async () => {
      const credential = await pay(service.chain, { account, mode: "push", headers });
      expect((await service.spend("/one/a", credential)).status).toBe(200);
      expectRefusal(await service.spend("/one/a", credential), "verification-failed");
    });
    expect(amount).toBe(1_000n);
  });

  test("is not needed with a key that has credits, and supplements one that has too few", async () => {
    const credential = await service.credentialFor("/one/a");
    const [rich, poor] = [await service.createKey(1), await service.createKey(0)];
    const withKey = ({ key }: { key: string }) => ({ "X-API-Key": key, Authorization: credential });
    expect(
      await service.earned(async () => {
        expect((await service.get("/one/a", withKey(rich))).status).toBe(200);
        expectRefusal(await service.get("/one/a", { "X-API-Key": poor.key }), "payment-required");
      }),
    ).toBe(0n);
    expect(
      await service.earned(async () => {
        expect((await service.get("/one/a", withKey(poor))).status).toBe(200);
      }),
    ).toBe(1_000n);
    expect([await service.balanceOf(rich.key), await service.balanceOf(poor.key)]).toEqual([0, 0]);
  });
});

describe("a payment is refused, and no money moves,", () => {
  test("when it is less than the price", async () => {
    const challenge = challengeOf(await service.ask("/one/a"));
    const credential = await payFor({ ...challenge, request: { ...challenge.request, amount: "999" } });
    const amount = await service.earned(async () => {
      expectRefusal(await service.spend("/one/a", credential), "invalid-challenge");
      const disguised = altered(credential, (one) => ({ ...one, challenge }));
      expectRefusal(await service.spend("/one/a", disguised), "verification-failed");
    });
    expect(amount).toBe(0n);
  });

  test("when the payer does not have enough", async () => {
    const { headers } = await service.spendBulk(500, "Payment none");
    const rich = await service.chain.createPayer();
    const credential = await pay(service.chain, { account: rich, headers });
    await service.chain.spendMost(rich);
    const amount = await service.earned(async () =>
      expectRefusal(await service.spendBulk(500, credential), "verification-failed"),
    );
    expect(amount).toBe(0n);
  });

  test("when it was used before, including by its hash or in another form", async () => {
    const credential = await service.credentialFor("/one/a");
    const amount = await service.earned(async () => {
      expect((await service.spend("/one/a", credential)).status).toBe(200);
      for (const copy of [credential, byHash(credential), inAnotherForm(credential), byHash(credential)]) {
        expectRefusal(await service.spend("/one/a", copy), "verification-failed");
      }
    });
    expect(amount).toBe(1_000n);
  });

  test("when it was made for another operation of the same price", async () => {
    const credential = await service.credentialFor("/one/a");
    const amount = await service.earned(async () => {
      const reply = await service.spend("/fails?as=INVALID_NAME", credential);
      expectRefusal(reply, "invalid-challenge");
      expect(reply.body.detail).toContain("scope");
    });
    expect(amount).toBe(0n);
  });

  test("when it was made for another amount", async () => {
    const credential = await payFor(challengeOf(await service.spendBulk(1, "Payment none")));
    const amount = await service.earned(async () => {
      const reply = await service.spendBulk(500, credential);
      expectRefusal(reply, "invalid-challenge");
      expect(reply.body.detail).toContain("amount");
      expect(challengeOf(reply).request.amount).toBe("500000");
    });
    expect(amount).toBe(0n);
  });

  test("when its challenge has expired", async () => {
    const { recipient, currency, chainId, secretKey, realm } = service.settings;
    const charge = tempo.charge({ recipient, currency, chainId, getClient: () => service.chain.client });
    const { challenge } = Mppx.create({ secretKey, realm, methods: [charge] });
    const expires = new Date(Date.now() - 1_000).toISOString();
    const expired = await challenge.tempo.charge({ amount: "0.001", scope: "GET /one/{name}", expires });
    // The payment itself is valid: no wallet would sign one that has expired.
    const credential = altered(await service.credentialFor("/one/a"), (one) => ({
      ...one,
      challenge: expired,
    }));
    const amount = await service.earned(async () =>
      expectRefusal(await service.spend("/one/a", credential), "payment-expired"),
    );
    expect(amount).toBe(0n);
  });

  const tampered: [what: string, problem: string, change: (one: Signed) => unknown][] = [
    ["the amount", "invalid-challenge", (one) => inRequest(one, { amount: "1" })],
    ["the recipient", "invalid-challenge", (one) => inRequest(one, { recipient: `0x${"11".repeat(20)}` })],
    ["the id", "invalid-challenge", (one) => inChallenge(one, { id: "A".repeat(43) })],
    ["the realm", "invalid-challenge", (one) => inChallenge(one, { realm: "evil.example.org" })],
    ["the date", "invalid-challenge", (one) => inChallenge(one, { expires: "2099-01-01T00:00:00Z" })],
    ["the method", "invalid-challenge", (one) => inChallenge(one, { method: "free" })],
    ["the payer", "verification-failed", (one) => inPayload(one, swapped(one.payload.signature))],
    ["the transaction", "malformed-credential", (one) => inPayload(one, "0x76c0")],
    ["the signature", "malformed-credential", (one) => inPayload(one, one.payload.signature.slice(0, -40))],
    ["the kind of chain", "malformed-credential", (one) => inPayload(one, "0x02c0")],
    ["the kind of payload", "invalid-payload", (one) => ({ ...one, payload: { type: "gift" } })],
    ["the payload", "invalid-payload", (one) => ({ ...one, payload: null })],
    [
      "the hash",
      "verification-failed",
      (one) => ({ ...one, payload: { type: "hash", hash: `0x${"11".repeat(32)}` } }),
    ],
    [
      "the proof",
      "verification-failed",
      (one) => ({ ...one, payload: { type: "proof", signature: `0x${"11".repeat(65)}` } }),
    ],
  ];

  test.each(tampered)("when %s was tampered with: %s", async (_, problem, change) => {
    const credential = altered(await service.credentialFor("/one/a"), change as never);
    const amount = await service.earned(async () =>
      expectRefusal(await service.spend("/one/a", credential), problem),
    );
    expect(amount).toBe(0n);
  });

  test.each(["x", "e30", "bnVsbA", "eyJjaGFsbGVuZ2UiOnt9fQ", "A".repeat(8_000), "§", "a b"])(
    "when it is %.20j",
    async (text) => expectRefusal(await service.spend("/one/a", `Payment ${text}`), "malformed-credential"),
  );
});

const inChallenge = (one: Signed, change: object) => ({ ...one, challenge: { ...one.challenge, ...change } });
const inRequest = (one: Signed, change: object) =>
  inChallenge(one, { request: { ...one.challenge.request, ...change } });
const inPayload = (one: Signed, signature: string) => ({
  ...one,
  payload: { type: "transaction", signature },
});

/** Changes a digit in the middle of the signature, so that another address seems to have signed. */
const swapped = (signature: string): string => {
  const at = signature.length - 60;
  return `${signature.slice(0, at)}${signature[at] === "1" ? "2" : "1"}${signature.slice(at + 1)}`;
};

const byHash = (credential: string): string =>
  altered(credential, (one) => ({
    ...one,
    payload: { type: "hash", hash: keccak256((one as Signed).payload.signature) },
  }));

/**
 * The last byte of a signature may be written as 27 or 0, 28 or 1: bytes and hash differ, the
 * transaction does not.
 */
const inAnotherForm = (credential: string): string =>
  altered(credential, (one) => {
    const { signature } = (one as Signed).payload;
    const last = Number.parseInt(signature.slice(-2), 16);
    const other = (last >= 27 ? last - 27 : last + 27).toString(16).padStart(2, "0");
    return inPayload(one as Signed, `${signature.slice(0, -2)}${other}`) as never;
  });
