import { zeroAddress } from "viem";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type LocalChain, startDemoChain } from "../../devnet/localChain.ts";
import { checkPayments } from "../../ops/checks/rpc.ts";
import type { PaymentSettings } from "../../settings/payments.ts";
import { startRpcProxy } from "../live/rpcProxy.ts";
import { type Stack, startStack } from "../support/stack.ts";
import { pay, startTempo, type TempoChain } from "./tempo.ts";

let chain: TempoChain;
let local: LocalChain;
let settings: PaymentSettings;
let stack: Stack;

beforeAll(async () => {
  [chain, local] = await Promise.all([startTempo(), startDemoChain()]);
  settings = chain.settings();
  const env = {
    ACCESS: "metered",
    // Each request has its own address.
    TRUSTED_PROXIES: "1",
    // The index has no answer for this, so the request fails.
    LIVE_RPC_URL: "http://127.0.0.1:1",
    MPP_RECIPIENT: settings.recipient,
    MPP_SECRET_KEY: settings.secretKey,
    MPP_REALM: settings.realm,
    MPP_CURRENCY: settings.currency,
    MPP_PRICE_PER_CREDIT: settings.pricePerCredit,
    MPP_CHAIN_ID: String(settings.chainId),
    MPP_RPC_URL: settings.rpcUrl,
  };
  stack = await startStack({ rpcUrl: local.anvil.url, deployment: local.deployment, env });
  await vi.waitUntil(isCurrent, { timeout: 60_000, interval: 50 });
});
afterAll(async () => {
  await stack?.destroy();
  await local?.anvil.stop();
  await chain?.stop();
});

/** Ponder is ready a moment before the service has noticed. */
const isCurrent = async () => (await stack.api<{ ready: boolean }>("/indexing-status")).body.ready;

async function earned(act: () => Promise<unknown>): Promise<bigint> {
  const before = await chain.balanceOf(settings.recipient);
  await act();
  return (await chain.balanceOf(settings.recipient)) - before;
}

let lastAddress = 0;
const fromNewAddress = () => ({ "X-Forwarded-For": `198.51.100.${++lastAddress}` });

type Answer = { status: number; receipt: string | null; body: Record<string, unknown> };

const toAnswer = async (reply: Response): Promise<Answer> => ({
  status: reply.status,
  receipt: reply.headers.get("payment-receipt"),
  body: (await reply.json()) as Record<string, unknown>,
});

/** The path with a payment made for it. */
async function pays(path: string): Promise<Answer> {
  const url = `${stack.url}${path}`;
  const asked = await fetch(url, { headers: { ...fromNewAddress(), Authorization: "Payment none" } });
  expect(asked.status).toBe(402);
  const credential = await pay(chain, { account: await chain.createPayer(), headers: asked.headers });
  return toAnswer(await fetch(url, { headers: { ...fromNewAddress(), Authorization: credential } }));
}

test("whois is paid for individually, under each prefix, at the price in the document", async () => {
  const document = (await stack.api<Record<string, never>>("/openapi.json")).body as unknown as {
    paths: Record<string, Record<string, { "x-payment-info"?: { offers: { amount: string | null }[] } }>>;
  };
  const offers = (path: string, method: string) => document.paths[path]?.[method]?.["x-payment-info"]?.offers;
  expect(offers("/whois/{name}", "get")?.[0]?.amount).toBe("1000");
  expect(offers("/whois/bulk", "post")?.[0]?.amount).toBeNull();
  expect(offers("/ens-stats", "get")).toBeUndefined();
  for (const path of ["/whois/alice.eth", "/api/whois/alice.eth"]) {
    const amount = await earned(async () => {
      const body = { name: "alice.eth" };
      expect(await pays(path)).toMatchObject({ status: 200, receipt: expect.stringMatching(/./), body });
    });
    expect(amount).toBe(1_000n);
  }
});

test("an answer that has to come from the chain and fails costs nothing", async () => {
  const amount = await earned(async () => {
    const body = { error: { code: "LIVE_RESOLUTION_FAILED" } };
    expect(await pays("/whois/offchain.eth")).toMatchObject({ status: 502, receipt: null, body });
  });
  expect(amount).toBe(0n);
});

test("no log contains the secret or a payment", async () => {
  expect(stack.log()).not.toContain(settings.secretKey);
  expect(stack.log()).not.toMatch(/0x7[68][0-9a-f]{100}/);
});

test("a node of another chain and an address that is not a token prevent startup; an unreachable node does not", async () => {
  const check = (change: Partial<PaymentSettings>) => checkPayments({ payments: { ...settings, ...change } });
  await check({});
  await checkPayments({ payments: null });
  await check({ rpcUrl: "http://127.0.0.1:1" });
  await expect(check({ chainId: 4217 })).rejects.toThrow(
    /^MPP_RPC_URL: 127.0.0.1:\d+ serves chain 31337; expected a node of MPP_CHAIN_ID, 4217$/,
  );
  for (const currency of [`0x20c0${"0".repeat(32)}9999`, `0x20c0${"1".repeat(36)}`, zeroAddress] as const) {
    await expect(check({ currency })).rejects.toThrow(/^MPP_CURRENCY: 0x\w+ is not a TIP-20 token/);
  }
  const node = await startRpcProxy(chain.url);
  node.fault = ({ method }) => (method === "eth_call" ? { status: 429 } : undefined);
  await check({ rpcUrl: node.url });
  await node.kill();
});
