import { type Hex, parseAbi } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Deployment } from "../../abis/deployments.ts";
import {
  addressOf,
  type Chain,
  feedAnswer,
  registerReferred,
  registerWrapped,
  renew,
  send,
} from "../../devnet/acts.ts";
import { create, double, startDeployment, toContracts } from "../../devnet/deployer.ts";
import { type LocalChain, startLocalChain } from "../../devnet/localChain.ts";
import { startStack } from "../support/stack.ts";
import { tracedPrices } from "../truth/priceTruth.ts";
import { castOf } from "./stage.ts";

/*
 * The feed begins a new phase without a log. The deployment's knowledge of it decides which renewals have an exact price: all are
 * compared with a trace of what the controller kept.
 */

const USD = 10n ** 8n;
const labels = ["before", "between", "both", "after"] as const;
type Label = (typeof labels)[number];

let local: LocalChain;
/** Block of each renewal, and of the new phase. */
const blocks = {} as Record<Label | "phase" | "newest", number>;
const prices = {} as Record<Label, string>;

beforeAll(async () => {
  local = await startLocalChain();
  const { alice, deployer } = castOf(local.chain);
  const later = await startDeployment(local.chain.client);
  await create(later, "laterAggregator", double("FeedAggregatorDouble"), [2_500n * USD]);
  const chain: Chain = { ...local.chain, contracts: { ...local.chain.contracts, ...toContracts(later) } };
  local = { ...local, chain };
  const answers = async (first: bigint, second: bigint) => {
    await send(chain, feedAnswer(first, { from: deployer }));
    await send(chain, feedAnswer(second, { from: deployer, aggregator: "laterAggregator" }));
  };
  const hashes: Record<string, Hex> = {};
  const renewed = async (label: Label) => {
    const receipt = await renew(chain, { from: alice, label, controller: "controller4" });
    blocks[label] = Number(receipt.blockNumber);
    hashes[label] = receipt.transactionHash;
  };
  for (const label of labels) await registerWrapped(chain, { from: alice, label });
  await answers(1_700n * USD, 1_800n * USD);
  await renewed("before");
  await registerReferred(chain, { from: alice, label: "first" });
  const args = [addressOf(chain, "laterAggregator")];
  const { blockNumber } = await send(chain, {
    from: deployer,
    contract: "usdOracle",
    functionName: "setAggregator",
    args,
  });
  blocks.phase = Number(blockNumber);
  await renewed("between");
  await answers(1_900n * USD, 1_900n * USD);
  await renewed("both");
  await answers(2_000n * USD, 2_100n * USD);
  await registerReferred(chain, { from: alice, label: "second" });
  await renewed("after");
  await registerReferred(chain, { from: alice, label: "third" });
  blocks.newest = Number(await chain.client.getBlockNumber());
  const kept = await tracedPrices(local.anvil.url, addressOf(chain, "controller4"), Object.values(hashes));
  for (const label of labels) prices[label] = String(kept.get(hashes[label] as Hex)?.[0]);
});

afterAll(() => local?.anvil.stop());

type SecondPhase = { after: number; by: number; lastSeen: number };

/** The deployment with this knowledge of the second phase. */
function deploymentThatKnows({ after, by, lastSeen }: SecondPhase): Deployment {
  const { deployment, chain } = local;
  const address = addressOf(chain, "laterAggregator");
  const entry = { role: "price-feed" as const, generation: 2, address, startBlock: 0 };
  const priceFeed = deployment.priceFeed && {
    ...deployment.priceFeed,
    lastSeen,
    takeovers: [{ phase: 2, after, by }],
  };
  return { ...deployment, contracts: [...deployment.contracts, entry], priceFeed };
}

type Sale = { block: number; is_registration: boolean; wei: string; usd: string | null };

/** The answer of the feed, or of one aggregator, at a block: each block has one transaction. */
const answerAt = (of: "usdOracle" | "feedAggregator") => (block: number) =>
  local.chain.client.readContract({
    address: addressOf(local.chain, of),
    abi: parseAbi(["function latestAnswer() view returns (int256)"]),
    functionName: "latestAnswer",
    blockNumber: BigInt(block),
  });

/** Compares dollars of sales, and their sum in answers, with the feed's answers at their blocks. */
async function checkDollars(
  { sales, year }: Awaited<ReturnType<typeof indexOf>>,
  answerOf: (block: number) => Promise<bigint | null>,
) {
  expect(sales).toHaveLength(ALL + labels.length);
  const sums = { true: 0n as bigint | null, false: 0n as bigint | null };
  for (const { block, is_registration, wei, usd } of sales) {
    const answer = await answerOf(block);
    const amount = answer && BigInt(wei) * answer;
    expect(usd && BigInt(usd.replace(".", "")), `block ${block}`).toBe(amount);
    const sum = sums[`${is_registration}`];
    sums[`${is_registration}`] = sum !== null && amount !== null ? sum + amount : null;
  }
  const toCents = (sum: bigint | null) => sum && Number((sum + 5n * 10n ** 23n) / 10n ** 24n) / 100;
  const shown = [year.registration_cost_usd, year.renewal_cost_usd];
  expect(shown.map((usd) => usd && Number(usd))).toEqual([toCents(sums.true), toCents(sums.false)]);
}

/** An index's rows of renewals and of the feed under a deployment. */
async function indexOf(deployment: Deployment) {
  const stack = await startStack({ rpcUrl: local.anvil.url, deployment });
  try {
    await stack.waitForHead();
    const renewals = await stack.sql<{ name: string; price: string | null }>(
      `select replace(name, '.eth', '') as name, exact_cost_wei::text as price from events
       where contract = 'CONTROLLER' and event_type = 'NameRenewed'`,
    );
    const [check] = await stack.sql(
      "select matches, differences, stopped_block, next_unconfirmed - first_unconfirmed as waiting from price_feed_checks",
    );
    const sales = await stack.sql<Sale>(
      `select block_number as block, is_registration, cost_wei::text as wei, cost_usd::text as usd from controller_sales
       where contract_address = any($1) order by block_number, log_index`,
      [["controller4", "controller5"].map((one) => addressOf(local.chain, one).toLowerCase())],
    );
    type Year = Record<"registration_cost_usd" | "renewal_cost_usd", string | null>;
    const { body } = await stack.api<{ periods: Year[] }>("/ens-stats/purchases?interval=year");
    const odd = await stack.sql<{ name: string }>("select name from events where anomaly like '%price feed'");
    return {
      sales,
      year: body.periods.at(-1) as Year,
      odd: odd.map(({ name }) => name),
      prices: Object.fromEntries(renewals.map(({ name, price }) => [name, price])),
      check,
    };
  } finally {
    await stack.destroy();
  }
}

/** Registrations: four by the controller of 2023, three by that of 2025. */
const ALL = 7;

test("every renewal has its price if the block of the change is known", async () => {
  const { phase, newest } = blocks;
  const known = { after: phase - 1, by: phase + 1, lastSeen: newest };
  const index = await indexOf(deploymentThatKnows(known));
  expect(index).toMatchObject({
    odd: [],
    prices,
    check: { matches: ALL, differences: 0, stopped_block: null, waiting: 0 },
  });
  await checkDollars(index, answerAt("usdOracle"));
  expect(new Set(Object.values(prices)).size).toBe(labels.length);
});

test("if that block is unknown, renewals near it have a price only if both phases give the same one", async () => {
  const known = { after: blocks.before - 1, by: blocks.after, lastSeen: blocks.newest };
  const index = await indexOf(deploymentThatKnows(known));
  expect(index).toMatchObject({
    odd: [],
    prices: { ...prices, before: null, between: null },
    check: { matches: ALL, differences: 0, stopped_block: null, waiting: 0 },
  });
  // The older phase decides dollars for as long as it may be the feed's. A renewal without a known price shows its bound.
  await checkDollars(index, (block) =>
    answerAt(block < blocks.after ? "feedAggregator" : "usdOracle")(block),
  );
});

test("renewals after the phase was last seen have a price once a registration confirms it", async () => {
  const known = { after: blocks.phase - 1, by: blocks.phase + 1, lastSeen: blocks.phase + 1 };
  expect(await indexOf(deploymentThatKnows(known))).toMatchObject({ prices, check: { waiting: 0 } });
});

test("an unknown phase is found by the next registration; renewals since the last match have no price", async () => {
  const index = await indexOf(local.deployment);
  expect(index).toMatchObject({
    odd: ["second.eth", "third.eth"],
    prices: { before: prices.before, between: null, both: null, after: null },
    check: { matches: ALL - 2, differences: 2, stopped_block: expect.any(Number), waiting: 2 },
  });
  const stopped = Number(index.check?.stopped_block);
  await checkDollars(index, async (block) => (block < stopped ? answerAt("feedAggregator")(block) : null));
});

test("without a known feed, archive reads ask the controller", async () => {
  const { priceFeed: _, ...deployment } = local.deployment;
  const contracts = deployment.contracts.filter(({ role }) => role !== "price-feed");
  const index = await indexOf({ ...deployment, contracts });
  expect(index).toMatchObject({ odd: [], prices });
  expect(index.check).toBeUndefined();
  await checkDollars(index, async () => null);
});
