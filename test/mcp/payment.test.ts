import { Challenge, Credential, Mcp } from "mppx";
import { tempo } from "mppx/client";
import { McpClient } from "mppx/mcp/client";
import type { Account } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { challengesIn } from "../../src/api/features/mcp/payment.ts";
import { callerBehind } from "../../src/api/server/access/caller.ts";
import { limitsIn } from "../../src/api/server/access/limits.ts";
import { meteredAccess } from "../../src/api/server/access/metered.ts";
import { createPayments } from "../../src/api/server/access/payment.ts";
import { keysIn } from "../../src/api/server/serviceDb/keys.ts";
import { reservationsIn } from "../../src/api/server/serviceDb/reservations.ts";
import { openStore, type Store } from "../../src/api/server/serviceDb/store.ts";
import { startTempo, type TempoChain, walletOf } from "../access/tempo.ts";
import { createTestDatabase } from "../support/database.ts";
import { answerIn } from "./brief.ts";
import { type AnyClient, clients } from "./clients.ts";
import { openScene, type Scene } from "./scene.ts";

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let store: Store;
let chain: TempoChain;
let scene: Scene;
let recipient: `0x${string}`;

beforeAll(async () => {
  chain = await startTempo();
  database = await createTestDatabase();
  store = openStore({ databaseUrl: database.url, schema: "service" });
  const settings = chain.settings();
  recipient = settings.recipient;
  const payments = createPayments(settings, store);
  const access = meteredAccess({
    keys: keysIn(store),
    reservations: reservationsIn(store),
    limits: limitsIn(store),
    payments,
    freeItems: 500,
  });
  scene = await openScene({ access, callerOf: callerBehind(1) });
});
afterAll(async () => {
  await scene?.close();
  await store?.close();
  await database?.drop();
  await chain?.stop();
});

type Refusal = {
  code: number;
  data: { httpStatus: number; challenges: Challenge.Challenge[]; error: { code: string }; problem?: object };
};

/** The JSON-RPC error that answers a call. */
async function refusalOf(call: Promise<unknown>): Promise<Refusal> {
  const thrown = await call.then(
    () => null,
    (error: Refusal) => error,
  );
  expect(thrown).not.toBeNull();
  return thrown as Refusal;
}

async function earned(act: () => Promise<unknown>): Promise<bigint> {
  const before = await chain.balanceOf(recipient);
  await act();
  return (await chain.balanceOf(recipient)) - before;
}

/** A payment for a challenge, as `_meta` carries it. */
async function pay(challenge: Challenge.Challenge, account?: Account) {
  const wallet = walletOf(chain, { account: account ?? (await chain.createPayer()) });
  const headers = { "www-authenticate": Challenge.serialize(challenge) };
  const authorization = await wallet.createCredential(new Response(null, { status: 402, headers }));
  return { [Mcp.credentialMetaKey]: Credential.deserialize(authorization) };
}

let lastAddress = 0;
const alice = { name: "alice.eth" };

describe.each(Object.entries(clients))("%s", (_, connect) => {
  let client: AnyClient;
  beforeAll(async () => {
    lastAddress++;
    client = await connect(`${scene.url}/mcp`, { "X-Forwarded-For": `198.51.100.${lastAddress}` });
    for (let i = 0; i < 5; i++) await client.call("whois", alice);
  });
  afterAll(() => client?.close());

  /** The refusal of a call without a payment. After a minute, five calls are free again. */
  const refused = async (tool: string, args: Record<string, unknown>) => {
    for (let free = 0; free < 5; free++) {
      const called = client.call(tool, args);
      const [{ status }] = await Promise.allSettled([called]);
      if (status === "rejected") return refusalOf(called);
    }
    return refusalOf(client.call(tool, args));
  };

  /** The challenge for a call. */
  const ask = async (tool: string, args: Record<string, unknown>) => {
    const { code, data } = await refused(tool, args);
    expect(code).toBe(-32042);
    const [challenge] = data.challenges;
    return challenge as Challenge.Challenge;
  };

  test("payment for a call is requested by -32042 with a challenge of exactly its price", async () => {
    const { code, data } = await refused("whois", alice);
    expect(code).toBe(-32042);
    expect(data).toMatchObject({
      httpStatus: 402,
      challenges: [{ method: "tempo", intent: "charge", request: { amount: "1000", recipient } }],
      error: { code: "PAYMENT_REQUIRED" },
      problem: { type: "https://paymentauth.org/problems/payment-required" },
    });
    const batch = await ask("whois_bulk", { names: ["alice.eth", "grace.eth", "premium.eth"] });
    expect(batch.request.amount).toBe("3000");
  });

  test("a paid call is answered with its receipt, and the money moves once", async () => {
    const challenge = await ask("whois", alice);
    const credential = await pay(challenge);
    const amount = await earned(async () => {
      const result = await client.call("whois", alice, credential);
      expect(answerIn(result)).toMatchObject({ name: "alice.eth" });
      expect(result._meta?.[Mcp.receiptMetaKey]).toMatchObject({
        method: "tempo",
        status: "success",
        challengeId: challenge.id,
        reference: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      });
    });
    expect(amount).toBe(1_000n);
    const again = await earned(async () => {
      const { code, data } = await refusalOf(client.call("whois", alice, credential));
      expect(code).toBe(-32043);
      expect(data.challenges.length).toBe(1);
      expect(data.challenges[0]?.id).not.toBe(challenge.id);
    });
    expect(again).toBe(0n);
  });

  test("of four concurrent calls with one payment, one is answered", async () => {
    const credential = await pay(await ask("whois", alice));
    const amount = await earned(async () => {
      const calls = await Promise.allSettled(
        Array.from({ length: 4 }, () => client.call("whois", alice, credential)),
      );
      expect(calls.filter(({ status }) => status === "fulfilled").length).toBe(1);
    });
    expect(amount).toBe(1_000n);
  });

  test("a failed call costs nothing, and its payment stays valid", async () => {
    const credential = await pay(await ask("whois", alice));
    const failing = async () => {
      for (const name of ["a..b", "x.strange.eth"]) {
        expect((await client.call("whois", { name }, credential)).isError).toBe(true);
      }
    };
    expect(await earned(failing)).toBe(0n);
    expect(await earned(() => client.call("whois", alice, credential))).toBe(1_000n);
  });

  test("a payment for another tool, for less, or altered is -32043", async () => {
    const challenge = await ask("whois", alice);
    const credential = await pay(challenge);
    const value = credential[Mcp.credentialMetaKey] as Credential.Credential;
    const cheaper = { ...value.challenge, request: { ...value.challenge.request, amount: "1" } };
    const tampered = { [Mcp.credentialMetaKey]: { ...value, challenge: cheaper } };
    const amount = await earned(async () => {
      const calls: [string, Record<string, unknown>, Record<string, unknown>][] = [
        ["get_records", alice, credential],
        ["whois_bulk", { names: ["alice.eth", "grace.eth"] }, credential],
        ["whois", alice, tampered],
      ];
      for (const [tool, args, meta] of calls) {
        const { code, data } = await refusalOf(client.call(tool, args, meta));
        expect([tool, code, data.error.code]).toEqual([tool, -32043, "PAYMENT_REQUIRED"]);
      }
    });
    expect(amount).toBe(0n);
  });

  test.each([
    ["text"],
    [7],
    [[]],
    [{}],
    [{ challenge: {}, payload: {} }],
    [{ challenge: { request: "x" }, payload: 1 }],
  ])("what is not a credential (%j) is reported as wrong parameters", async (value) => {
    const { code } = await refusalOf(client.call("whois", alice, { [Mcp.credentialMetaKey]: value }));
    expect(code).toBe(-32602);
  });

  test("statistics stay free", async () => {
    expect((await client.call("get_statistics")).isError ?? false).toBe(false);
  });
});

test("the payment library's own client pays by itself", async () => {
  const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
  const { StreamableHTTPClientTransport } = await import(
    "@modelcontextprotocol/sdk/client/streamableHttp.js"
  );
  const client = new Client({ name: "payer", version: "1.0.0" });
  const requestInit = { headers: { "X-Forwarded-For": "198.51.101.1" } };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${scene.url}/mcp`), { requestInit }) as never,
  );
  const account = await chain.createPayer();
  const methods = [tempo.charge({ account, getClient: () => chain.client })];
  const payer = McpClient.wrap(client as never, { methods }) as unknown as typeof client;
  const amount = await earned(async () => {
    for (let i = 0; i < 6; i++) {
      const result = await payer.callTool({ name: "whois", arguments: alice });
      expect(answerIn(result as never)).toMatchObject({ name: "alice.eth" });
    }
  });
  expect(amount).toBe(1_000n);
  await client.close();
});

test("challenges are read from a header as the library reads them", () => {
  const challenge = Challenge.from({
    id: "a",
    realm: 'Payment "x", y=',
    method: "tempo",
    intent: "charge",
    request: { amount: "1", nested: { list: [1, "ü"] } },
    description: 'back\\slash and "quotes"',
  });
  const one = Challenge.serialize(challenge);
  expect(challengesIn(one)).toEqual([challenge]);
  expect(challengesIn(`ApiKey realm="namedex", ${one}, ${one}, Bearer scope="a"`)).toEqual([
    challenge,
    challenge,
  ]);
  expect(challengesIn('ApiKey realm="namedex"')).toEqual([]);
  expect(challengesIn("")).toEqual([]);
});
