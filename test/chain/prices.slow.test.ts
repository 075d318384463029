import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { z } from "zod";
import { addressOf, type Chain, DAY, hashLabel, latestTime, warp, YEAR } from "../../devnet/acts.ts";
import { basenames } from "../../devnet/demoBase.ts";
import { lineanames } from "../../devnet/demoLinea.ts";
import { startDemoChain } from "../../devnet/localChain.ts";
import { type LocalChains, type LocalLayer2, startDemoChains } from "../../devnet/localChains.ts";
import { namePrice } from "../../src/api/names/schemas/answers.ts";
import { withoutAsOf } from "../support/asOf.ts";
import { type Stack, startStack } from "../support/stack.ts";
import { askEach } from "../truth/chainReads.ts";
import { waitForHeads } from "./heads.ts";
import { type Stage, stageOf } from "./stage.ts";

type NamePrice = z.infer<typeof namePrice>;

const YEARS = [1, 2, 3, 5, 10];

/** Names that were never registered, one for each length with its own rent. */
const newLabels = (): string[] => [
  "a1",
  "é",
  "漢字",
  "abc",
  "漢字漢",
  "😀😀😀",
  "abcd",
  "éééé",
  "abcde",
  "free-name",
  "abcdefghij",
  "a-name-of-twenty-five-char",
  ...fc.sample(fc.stringMatching(/^[a-z0-9]{1,12}$/), 20).map((label) => `q${label}`),
];

let chains: LocalChains;
let base: LocalLayer2;
let linea: LocalLayer2;
let stack: Stack;

beforeAll(async () => {
  chains = await startDemoChains({ statesKept: 100_000, balance: 1_000_000_000 });
  [base, linea] = chains.layer2 as [LocalLayer2, LocalLayer2];
  const urls = chains.layer2.map((one) => [`RPC_URL_${one.deployment.chainId}`, one.anvil.url]);
  const { anvil, deployment } = chains;
  stack = await startStack({ rpcUrl: anvil.url, deployment, env: Object.fromEntries(urls) });
});

afterAll(async () => {
  await stack?.destroy();
  await chains?.stop();
});

const everyHead = () => waitForHeads(stack, chains, base, linea);

const post = async (url: string, path: string, body: unknown) => {
  const headers = { "content-type": "application/json" };
  const reply = await fetch(`${url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  return {
    status: reply.status,
    body: (await reply.json()) as { results: (NamePrice & { query: string })[] },
  };
};

/** Prices of names, from one request. */
async function pricesOf(names: readonly string[], { url } = stack): Promise<NamePrice[]> {
  const { status, body } = await post(url, `/price/bulk?years=${YEARS}`, { names });
  expect(status, JSON.stringify(body)).toBe(200);
  return body.results.map(({ query: _, ...price }) => namePrice.parse(price));
}

type Judge = { chain: Chain; controller: string; parent: string };

/** The answers of a controller and its registrar about a label at the block of an answer. */
async function judgeOf({ chain, controller }: Judge, label: string, { price_block }: NamePrice) {
  const blockNumber = BigInt(price_block?.block_number ?? 0);
  const read = <Value>(contract: string, functionName: string, args: readonly unknown[]) => {
    const { address, abi } = chain.contracts[contract] as Chain["contracts"][string];
    const asked = { address, abi, functionName, args: [...args], blockNumber };
    return chain.client.readContract(asked) as Promise<Value>;
  };
  const [isFree, expires, ...rents] = await Promise.all([
    read<boolean>(controller, "available", [label]),
    read<bigint>("registrar", "nameExpires", [BigInt(hashLabel(label))]),
    ...YEARS.map((years) =>
      read<{ base: bigint; premium: bigint }>(controller, "rentPrice", [label, BigInt(years) * YEAR]),
    ),
  ]);
  const isRenewable = expires > 0n && expires + 90n * DAY >= BigInt(price_block?.block_timestamp ?? 0);
  return { isFree, isRenewable, rents };
}

/** The answer as the contracts would give it: whether the name is sold and renewed, and each price in wei. */
async function expectAsContracts(judge: Judge, labels: readonly string[]): Promise<NamePrice[]> {
  await everyHead();
  const answers = await pricesOf(labels.map((label) => `${label}.${judge.parent}`));
  await Promise.all(
    answers.map(async (answer, i) => {
      const label = labels[i] ?? "";
      const { isFree, isRenewable, rents } = await judgeOf(judge, label, answer);
      const said = { isFree: answer.registration !== null, isRenewable: answer.renewal !== null };
      expect({ label, ...said }).toEqual({ label, isFree, isRenewable });
      const toWei = ({ base, premium }: { base: bigint; premium: bigint }) => ({
        base: String(base),
        premium: String(premium),
        total: String(base + premium),
      });
      if (isFree) {
        expect(answer.registration?.contract).toBe(addressOf(judge.chain, judge.controller));
        expect(answer.registration?.prices.map(({ wei }) => wei)).toEqual(rents.map(toWei));
      }
      if (isRenewable) {
        const own = rents.map(({ base }) => toWei({ base, premium: 0n }));
        expect(answer.renewal?.prices.map(({ wei }) => wei)).toEqual(own);
      }
    }),
  );
  return answers;
}

const ofEth = (): Judge => ({ chain: chains.chain, controller: "controller5", parent: "eth" });

describe("prices equal the contracts' at the block of the answer", () => {
  test("for .eth names, from their grace through each day of the premium to its end", async () => {
    const { chain } = chains;
    const labels = ["alice", "grace", "premium", "lapsed", "reborn", "revealed", ...newLabels()];
    const premiums = new Set<string>();
    const states = new Set<string>();
    // premium.eth ended 95 days ago; grace.eth is to pass through all of its states.
    for (const days of [0n, 3n, 6n, 7n, 44n, 1n, 1n, 5n, 14n, 1n]) {
      if (days > 0n) await warp(chain, { seconds: days * DAY + 4_321n });
      const answers = await expectAsContracts(ofEth(), labels);
      for (const { availability_status, registration } of answers) {
        states.add(availability_status);
        premiums.add(registration?.prices[0]?.wei?.premium ?? "none");
      }
    }
    expect([...states].sort()).toEqual(["available", "grace", "premium", "registered", "unknown"]);
    expect(premiums.size).toBeGreaterThan(8);
  });

  test("for Basenames, whose premium is in ether", async () => {
    const judge = { chain: base.chain, controller: "controller3", parent: "base.eth" };
    const sold = Object.keys(basenames).filter((label) => label !== "gov" && label !== "silent");
    const premiums = new Set<string>();
    for (const days of [0n, 61n, 2n, 12n, 30n]) {
      if (days > 0n) await warp(base.chain, { seconds: days * DAY + 77n });
      const answers = await expectAsContracts(judge, [...sold, ...newLabels()]);
      for (const { registration } of answers) premiums.add(registration?.prices[0]?.wei?.premium ?? "none");
      for (const { registration, renewal, usd_per_ether } of answers) {
        const { usd, wei } = (registration ?? renewal)?.prices[0] ?? {};
        if (wei === undefined) continue;
        expect(usd_per_ether).toMatchObject({ value: "1600.00000000", chain_id: chains.deployment.chainId });
        expect(Number(usd?.total)).toBeCloseTo((Number(wei.total) / 1e18) * 1_600, 1);
      }
    }
    expect(premiums.size).toBeGreaterThan(3);
  });

  test("for Lineanames", async () => {
    const judge = { chain: linea.chain, controller: "controller", parent: "linea.eth" };
    for (const days of [0n, 61n]) {
      if (days > 0n) await warp(linea.chain, { seconds: days * DAY });
      const answers = await expectAsContracts(judge, [...Object.keys(lineanames), ...newLabels()]);
      for (const { registration } of answers) expect(registration?.prices[0]?.wei?.premium ?? "0").toBe("0");
    }
  });
});

describe("an answer", () => {
  test("has dollars, the rate, and the block with its source", async () => {
    await everyHead();
    const { body } = await stack.api<NamePrice>("/domain/abcd.eth/price?years=2");
    expect(body).toMatchObject({
      domain: "abcd.eth",
      availability_status: "available",
      expiry_timestamp: null,
      length: 4,
      registration_refusal: null,
      renewal: null,
      renewal_refusal: "not_registered",
      registration: {
        oracle: addressOf(chains.chain, "priceOracle4"),
        prices: [
          {
            years: 2,
            duration_seconds: 63_072_000,
            usd: { base: "320.00", premium: "0.00", total: "320.00" },
          },
        ],
      },
      usd_per_ether: { value: "1600.00000000", chain_id: chains.deployment.chainId },
    });
    expect(body.registration?.prices[0]?.wei?.total).toBe("199999999999986840");
    const time = await latestTime(chains.chain);
    expect(body.price_block?.block_timestamp).toBe(Number(time));
    const whole = await (await fetch(`${stack.url}/domain/abcd.eth/price`)).json();
    const live = (whole as { as_of: object[] }).as_of.find((one) => "source" in one && one.source === "live");
    expect(live).toMatchObject({ block_number: body.price_block?.block_number });
    expect(withoutAsOf(whole)).toMatchObject({ registration: { prices: [{ years: 1 }] } });
  });

  test.each([
    ["pay.alice.eth", "subname"],
    ["a.b.c.eth", "subname"],
    ["x.alice.base.eth", "subname"],
    ["gov.base.eth", "subname"],
    ["eth", "not_sold"],
    ["example.com", "not_sold"],
    ["alice.box", "not_sold"],
    [`[${hashLabel("some label").slice(2)}].eth`, "label_unknown"],
    [`[namehash:${hashLabel("some node").slice(2)}]`, "label_unknown"],
  ])("for %s has no price: %s", async (name, refusal) => {
    const { status, body } = await stack.api<NamePrice>(`/domain/${encodeURIComponent(name)}/price`);
    expect([status, body]).toMatchObject([
      200,
      {
        registration: null,
        registration_refusal: refusal,
        renewal: null,
        renewal_refusal: refusal,
        price_block: null,
        usd_per_ether: null,
        length: null,
      },
    ]);
  });

  test.each([
    ["ab.eth", "too_short", "too_short"],
    ["alice.eth", "registered", null],
    ["nothing-of-that-name.eth", null, "not_registered"],
  ])("for %s: %s, %s", async (name, registration, renewal) => {
    const { body } = await stack.api<NamePrice>(`/domain/${name}/price`);
    expect([body.registration_refusal, body.renewal_refusal]).toEqual([registration, renewal]);
    expect([body.registration === null, body.renewal === null]).toEqual([
      registration !== null,
      renewal !== null,
    ]);
  });

  test.each(["0", "101", "1,2,x", "1.5", "-1", "1,2,3,4,5,6,7,8,9,10,11"])(
    "rejects years=%s",
    async (years) => {
      const { status, body } = await stack.api<{ error: { code: string } }>(
        `/domain/abc.eth/price?years=${years}`,
      );
      expect([status, body.error.code]).toEqual([400, "INVALID_PARAMETER"]);
    },
  );

  test("for many names keeps their order, and an item's error in its place", async () => {
    const names = ["alice.eth", "not..valid", "grace.eth", "alice.base.eth", "pay.alice.eth"];
    const { body } = await post(stack.url, "/price/bulk", { names });
    expect(body.results.map(({ query }) => query)).toEqual(names);
    expect(body.results[1]).toMatchObject({
      availability_status: "unknown",
      error: { code: "INVALID_NAME" },
    });
    const none = await post(stack.url, "/price/bulk", { names: [] });
    expect(none).toMatchObject({ status: 400, body: { error: { code: "MISSING_PARAMETER" } } });
    const tooMany = await post(stack.url, "/price/bulk", { names: Array(101).fill("alice.eth") });
    expect(tooMany).toMatchObject({ status: 400, body: { error: { code: "LIMIT_EXCEEDED" } } });
  });

  test("without a node reports that it needs one, unless the name has no price", async () => {
    const replica = await stack.startReplica({ LIVE_RPC_URL: "off" });
    const names = ["abcd.eth", "alice.base.eth", "pay.alice.eth"];
    const error = { code: "LIVE_RESOLUTION_FAILED", message: expect.stringContaining("needs a node") };
    const { body } = await post(replica.url, "/price/bulk", { names });
    expect(body.results).toMatchObject([
      { query: "abcd.eth", domain: "abcd.eth", error },
      { query: "alice.base.eth", domain: "alice.base.eth", error },
      { query: "pay.alice.eth", registration_refusal: "subname" },
    ]);
    const one = await fetch(`${replica.url}/domain/abcd.eth/price`);
    expect([one.status, await one.json()]).toEqual([502, { error }]);
    await replica.stop();
  });
});

describe("prices in ENSv2 equal its registrars'", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await stageOf(await startDemoChain({ contracts: { ensv2: true }, statesKept: 100_000 }));
  });
  afterAll(() => stage?.close());

  type Offer = { label: string; token: string; at: number; answer: NamePrice };

  /** The contracts' answer about each offer at the block of the answer; null if one refuses. */
  async function judge(offers: readonly Offer[]) {
    const asked = (contract: string, functionName: string) => {
      const { address: to, abi } = stage.chain.contracts[contract] as Chain["contracts"][string];
      return askEach<bigint | readonly bigint[]>(
        stage.local.anvil.url,
        offers.map(({ label, token, at, answer }) => ({
          to,
          abi,
          functionName,
          args: [label, BigInt(YEARS[at] ?? 0) * YEAR, token],
          moment: { block: BigInt(answer.price_block?.block_number ?? 0) },
        })),
      );
    };
    const sold = await asked("ethRegistrar", "getRegisterPrice");
    const renewed = await asked("ethRegistrar", "getRenewPrice");
    const ofRenewer = await asked("renewerV1", "getRenewPrice");
    return offers.map((offer, i) => ({ ...offer, sold: sold[i], due: renewed[i] ?? ofRenewer[i] }));
  }

  const textsOf = (numbers: unknown) => (Array.isArray(numbers) ? numbers.map(String) : null);

  test("for registrations and renewals, in each token, through grace and premium", async () => {
    const tokens = ["usdc", "dai"].map((token) => addressOf(stage.chain, token));
    const labels = [
      "alice",
      "grace",
      "moved",
      "newcomer",
      "handed",
      "premium",
      "lapsed",
      "wrapped",
      ...newLabels(),
    ];
    const sellers = new Set<string>();
    // newcomer.eth and handed.eth end in two years and one year: 28 days of grace, and 21 of premium.
    for (const days of [0n, 62n, 300n, 27n, 2n, 10n, 15n, 365n]) {
      if (days > 0n) await warp(stage.chain, { seconds: days * DAY + 123n });
      await stage.stack.waitForHead();
      const answers = await pricesOf(
        labels.map((label) => `${label}.eth`),
        stage.stack,
      );
      for (const { renewal } of answers) sellers.add(renewal?.contract ?? "none");
      const offers = answers.flatMap((answer, i) =>
        tokens.flatMap((token) => YEARS.map((_, at) => ({ label: labels[i] ?? "", token, at, answer }))),
      );
      for (const { label, token, at, answer, sold, due } of await judge(offers)) {
        const inToken = (offer: NamePrice["registration"]) =>
          offer?.prices[at]?.tokens?.find((one) => one.token === token);
        const paid = inToken(answer.registration);
        expect([label, paid ? [paid.base, paid.premium] : null]).toEqual([label, textsOf(sold)]);
        const total = inToken(answer.renewal)?.total ?? null;
        expect([label, total]).toEqual([label, due?.toString() ?? null]);
      }
    }
    expect([...sellers].sort()).toEqual(
      ["none", addressOf(stage.chain, "ethRegistrar"), addressOf(stage.chain, "renewerV1")].sort(),
    );
  });
});
