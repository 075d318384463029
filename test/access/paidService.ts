import { Challenge } from "mppx";
import { expect } from "vitest";
import type { PaymentSettings } from "../../settings/payments.ts";
import { createPayments } from "../../src/api/server/access/payment.ts";
import { type Reply, type Service, startService } from "./service.ts";
import { pay, startTempo, type TempoChain } from "./tempo.ts";

/** A metered service that takes payments on a local Tempo chain. */
export type PaidService = Service & {
  chain: TempoChain;
  settings: PaymentSettings;
  /** The 402 for a request without a valid payment. */
  ask: (path: string) => Promise<Reply>;
  /** A payment by a new payer, as this request asks for. */
  credentialFor: (path: string) => Promise<string>;
  /** The request with a payment. Each uses its own address, because invalid ones are counted. */
  spend: (path: string, authorization: string) => Promise<Reply>;
  /** A batch of `count` names, with a payment. */
  spendBulk: (count: number, authorization: string) => Promise<Reply>;
  /** What an action brings to the recipient, in base units of the token. */
  earned: (act: () => Promise<unknown>) => Promise<bigint>;
};

let lastAddress = 0;

/** Behind a proxy, so that each request can use its own address. */
export const fromNewAddress = () => {
  lastAddress++;
  return { "X-Forwarded-For": `198.51.${lastAddress >> 8}.${lastAddress & 255}` };
};

/** An existing chain, another URL for its node, and another replica's settings and database. */
type Plan = { chain?: TempoChain; rpcUrl?: string; settings?: PaymentSettings; databaseUrl?: string };

export async function startPaidService(plan: Plan = {}): Promise<PaidService> {
  const chain = plan.chain ?? (await startTempo());
  const settings = { ...(plan.settings ?? chain.settings()), ...(plan.rpcUrl && { rpcUrl: plan.rpcUrl }) };
  const service = await startService({
    trustedProxies: 1,
    payments: (store) => createPayments(settings, store),
    ...(plan.databaseUrl && { databaseUrl: plan.databaseUrl }),
  });
  const spend: PaidService["spend"] = (path, authorization) =>
    service.get(path, { ...fromNewAddress(), Authorization: authorization });
  const ask = (path: string) => spend(path, "Payment none");
  return {
    ...service,
    chain,
    settings,
    ask,
    spend,
    credentialFor: async (path) =>
      pay(chain, { account: await chain.createPayer(), headers: (await ask(path)).headers }),
    spendBulk: (count, authorization) =>
      service.post(
        "/bulk",
        { names: Array.from({ length: count }, (_, i) => `name${i}`) },
        { ...fromNewAddress(), Authorization: authorization },
      ),
    earned: async (act) => {
      const before = await chain.balanceOf(settings.recipient);
      await act();
      return (await chain.balanceOf(settings.recipient)) - before;
    },
    close: async () => {
      await service.close();
      if (plan.chain === undefined) await chain.stop();
    },
  };
}

/** The challenge of a 402. */
export const challengeOf = ({ headers }: Reply): Challenge.Challenge =>
  Challenge.deserialize(headers.get("www-authenticate") ?? "");

/** A 402 of this kind whose header and body say how to pay. */
export function expectRefusal(reply: Reply, problem: string): void {
  const { status, headers, body } = reply;
  const text = expect.stringMatching(/./);
  expect({ status, body }).toMatchObject({
    status: 402,
    body: {
      type: `https://paymentauth.org/problems/${problem}`,
      title: text,
      status: 402,
      detail: text,
      challengeId: challengeOf(reply).id,
      error: { code: "PAYMENT_REQUIRED", message: text },
    },
  });
  expect(headers.get("cache-control")).toBe("no-store");
  expect(headers.get("content-type")).toContain("application/problem+json");
  expect(headers.get("payment-receipt")).toBeNull();
}
