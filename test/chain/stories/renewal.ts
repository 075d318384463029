import { formatEther, type Hex, parseEther } from "viem";
import { beforeAll, describe, expect, test } from "vitest";
import {
  addressOf,
  attempt,
  type Call,
  DAY,
  ethNode,
  feedAnswer,
  GRACE,
  hashLabel,
  type Registration,
  readPrice,
  reclaim,
  registerReferred,
  registerV3,
  registerWrapped,
  renew,
  renewAll,
  renewFromBalance,
  renewReferred,
  send,
  sendInOneBlock,
  setNextTime,
  setOwner,
  transferRegistration,
  warp,
  warpTo,
  YEAR,
} from "../../../devnet/acts.ts";
import { tracedPrices } from "../../truth/priceTruth.ts";
import { expectWhoisAsOnChain, readOnChain } from "../onChain.ts";
import { eventsOf } from "../stage.ts";
import { stage, told } from "./stage.ts";

const expiryOf = async (name: string) => BigInt((await stage.whois(name)).expiry_timestamp ?? 0);

/** The costs of a transaction's renewals, by name in log order. */
const listCosts = (hash: string) =>
  stage.sql<{
    name: string;
    cost_wei: string;
    exact_cost_wei: string | null;
    cost_is_upper_bound: boolean | null;
  }>(
    `select name, cost_wei::text, exact_cost_wei::text, cost_is_upper_bound from events
     where transaction_hash = $1 and contract = 'CONTROLLER' order by log_index`,
    [hash],
  );

/** Registers a name at the feed's price, which confirms the costs of renewals before it. */
const confirmPrices = (label: string) => registerReferred(stage.chain, { from: stage.cast.dave, label });

/** What all renewals have cost so far. Statistics are refreshed after some minutes. */
async function renewalCosts(): Promise<bigint> {
  await stage.stack.waitForHead();
  type Period = { renewal_cost_wei: string };
  const { body } = await stage.stack.api<{ periods: Period[] }>("/ens-stats/purchases?interval=month");
  return body.periods.reduce((sum, { renewal_cost_wei }) => sum + BigInt(renewal_cost_wei), 0n);
}

const balanceOf = (contract: string) =>
  stage.chain.client.getBalance({ address: addressOf(stage.chain, contract) });

describe("a registration is renewed", () => {
  const unwrapped: [string, string, (act: Registration) => Promise<unknown>][] = [
    ["by the controller of 2020", "controller3", (act) => registerV3(stage.chain, act)],
    [
      "by the wrapped controller though it is not wrapped",
      "controller4",
      (act) => registerV3(stage.chain, act),
    ],
    ["by the controller of 2025", "controller5", (act) => registerReferred(stage.chain, act)],
  ];

  test.each(unwrapped)("%s", async (_, controller, register) => {
    const { chain, cast } = stage;
    const label = `renewed-by-${controller}`;
    await register({ from: cast.alice, label });
    // Anybody may pay.
    const act = { from: cast.bob, label, controller, duration: 2n * YEAR };
    const price = await readPrice(chain, act);
    const receipt = await (controller === "controller5"
      ? renewReferred(chain, { ...act, referrer: hashLabel("r") })
      : renew(chain, { ...act, value: price }));
    const answer = await expectWhoisAsOnChain(stage, `${label}.eth`);
    const events = eventsOf(await stage.events(`${label}.eth`), receipt);
    expect(events.at(-1)).toMatchObject({
      cost_wei: price.toString(),
      expiry_timestamp: answer.expiry_timestamp,
      ...(controller === "controller5" && { referrer: hashLabel("r") }),
    });
    const durations = await stage.sql<{ duration_seconds: string | null }>(
      "select duration_seconds::text from events where transaction_hash = $1 and contract = 'REGISTRAR'",
      [receipt.transactionHash],
    );
    expect(durations).toEqual([{ duration_seconds: String(2n * YEAR) }]);
  });

  test("on the last second of the grace period, and not a second later", async () => {
    const { chain, cast } = stage;
    for (const label of ["saved", "lost"]) {
      await registerReferred(chain, { from: cast.alice, label, duration: 30n * DAY });
    }
    const [saved, lost] = [await expiryOf("saved.eth"), await expiryOf("lost.eth")];
    await setNextTime(chain, saved + GRACE);
    await renewReferred(chain, { from: cast.alice, label: "saved" });
    await expectWhoisAsOnChain(stage, "saved.eth");
    await setNextTime(chain, lost + GRACE + 1n);
    const refused = await attempt(() => renewReferred(chain, { from: cast.alice, label: "lost" }));
    expect(refused.outcome).toBe("reverted");
    expect((await expectWhoisAsOnChain(stage, "lost.eth")).availability_status).toBe("premium");
  });

  told("in the grace period, from its old expiry on", ["late.eth"], async (chain, { alice: from }) => {
    await registerReferred(chain, { from, label: "late", duration: 30n * DAY });
    await warpTo(chain, { timestamp: (await expiryOf("late.eth")) + 60n * DAY });
    await renewReferred(chain, { from, label: "late" });
  });

  test("with a referrer, through the contract that renews by the wrapped controller", async () => {
    const { chain, cast } = stage;
    await registerReferred(chain, { from: cast.alice, label: "recommended" });
    const [label, referrer, controller] = ["recommended", hashLabel("a friend"), "renewalReferrer"];
    const price = await readPrice(chain, { controller: "controller4", label });
    const receipt = await renewReferred(chain, { from: cast.alice, label, referrer, controller });
    await expectWhoisAsOnChain(stage, "recommended.eth");
    const events = eventsOf(await stage.events("recommended.eth"), receipt);
    expect(events.at(-1)).toMatchObject({ referrer, cost_wei: price.toString(), name: "recommended.eth" });
  });
});

describe("a wrapped name is renewed", () => {
  beforeAll(async () => {
    const { chain, cast } = stage;
    for (const label of ["wrapped-one", "wrapped-two", "wrapped-three", "out-of-step", "left-behind"]) {
      await registerWrapped(chain, { from: cast.alice, label });
    }
  });

  told(
    "by the wrapped controller: the wrapper's expiry moves, too, without a log",
    ["wrapped-one.eth"],
    (chain, { bob }) => renew(chain, { from: bob, label: "wrapped-one", controller: "controller4" }),
  );

  test("with a label that arrives changed because it is not UTF-8: its logged bytes decide the price", async () => {
    const { chain, cast } = stage;
    const label = new Uint8Array(6).fill(0xc3); // three letters to the controller, six to a reader
    const act = { from: cast.alice, label, controller: "controller4" };
    await registerV3(chain, { from: cast.alice, label });
    const receipt = await renew(chain, act);
    const price = await readPrice(chain, { ...act, duration: YEAR });
    await confirmPrices("confirms-bytes");
    expect(await listCosts(receipt.transactionHash)).toMatchObject([
      { name: null, exact_cost_wei: price.toString() },
    ]);
  });

  test("between answers of the feed in one block, each at the price of its own moment", async () => {
    const { chain, cast } = stage;
    await warp(chain, { seconds: DAY });
    const [from, contract] = [cast.bob, "controller4"];
    const renewal = (label: string, value: bigint): Call => ({
      from,
      contract,
      functionName: "renew",
      args: [label, YEAR],
      value,
    });
    const answer = (usd: bigint) => feedAnswer(usd * 10n ** 8n + 77n, { from: cast.deployer });
    const [sumBefore, had] = [await renewalCosts(), await balanceOf(contract)];
    const receipts = await sendInOneBlock(chain, [
      renewal("wrapped-one", parseEther("1")),
      answer(2_000n),
      renewal("wrapped-two", parseEther("2")),
      answer(500n),
      answer(4_000n),
      renewal("wrapped-three", parseEther("3")),
    ]);
    const renewals = [0, 2, 5].map((at) => receipts[at]?.transactionHash as Hex);
    const paid = (await balanceOf(contract)) - had;
    await registerV3(chain, { from, label: "confirms-nothing" });
    expect((await listCosts(renewals[0] as Hex))[0]?.exact_cost_wei).toBeNull();
    await confirmPrices("confirms-moments");
    const traced = await tracedPrices(stage.local.anvil.url, addressOf(chain, contract), renewals);
    const exact = await Promise.all(
      renewals.map(async (hash) => (await listCosts(hash)).map(({ exact_cost_wei }) => exact_cost_wei)),
    );
    expect(exact).toEqual(renewals.map((hash) => traced.get(hash)?.map(String)));
    expect(new Set(exact.flat()).size).toBe(3);
    await warp(chain, { seconds: DAY });
    expect((await renewalCosts()) - sumBefore).toBe(paid);
    await send(chain, feedAnswer(1_600n * 10n ** 8n, { from: cast.deployer }));
  });

  test("together with others by the bulk renewal", async () => {
    const { chain, cast } = stage;
    const labels = ["wrapped-two", "wrapped-three", "recommended"];
    const receipt = await renewAll(chain, { from: cast.bob, labels, duration: 3n * YEAR });
    for (const label of labels) await expectWhoisAsOnChain(stage, `${label}.eth`);
    await confirmPrices("confirms-bulk");
    const costs = await listCosts(receipt.transactionHash);
    expect(costs.map(({ name }) => name)).toEqual(labels.map((label) => `${label}.eth`));
    for (const { cost_wei, exact_cost_wei, cost_is_upper_bound, name } of costs) {
      const label = name.replace(".eth", "");
      const price = await readPrice(chain, { controller: "controller4", label, duration: 3n * YEAR });
      expect([cost_wei, exact_cost_wei]).toEqual([price.toString(), price.toString()]);
      expect(cost_is_upper_bound).toBe(true);
    }
  });

  test("by a contract account from its own balance: the cost is what the controller took", async () => {
    const { chain, cast } = stage;
    const [label, controller] = ["left-behind", "controller4"];
    await warp(chain, { seconds: DAY });
    const before = await renewalCosts();
    const had = await balanceOf(controller);
    const { transactionHash } = await renewFromBalance(chain, { from: cast.bob, label, controller });
    const paid = (await balanceOf(controller)) - had;
    expect(paid).toBeGreaterThan(0n);
    expect((await chain.client.getTransaction({ hash: transactionHash })).value).toBe(0n);
    await expectWhoisAsOnChain(stage, "left-behind.eth");
    await confirmPrices("confirms-balance");
    await stage.stack.waitForHead();
    const { body } = await stage.stack.api<{ renewals: Record<string, unknown>[] }>(
      "/domain/left-behind.eth/registration-history",
    );
    const entry = body.renewals.at(-1);
    expect(entry).toMatchObject({ cost_wei: paid.toString(), cost_eth: formatEther(paid) });
    expect(entry).not.toHaveProperty("cost_is_upper_bound");
    await warp(chain, { seconds: DAY });
    const activity = await stage.stack.api<{ events: Record<string, unknown>[] }>(
      "/ens-stats/recent-activity",
    );
    const event = activity.body.events.find((one) => one.transaction_hash === transactionHash);
    expect(event).toMatchObject({ type: "renewal", name: "left-behind.eth", cost_eth: formatEther(paid) });
    expect(event).not.toHaveProperty("cost_is_upper_bound");
    expect((await renewalCosts()) - before).toBe(paid);
  });

  test("by another controller: the wrapper keeps its expiry, and the name lapses there", async () => {
    const { chain, cast } = stage;
    const name = "out-of-step.eth";
    await renewReferred(chain, { from: cast.alice, label: "out-of-step", duration: 5n * YEAR });
    const expiry_timestamp = (await expectWhoisAsOnChain(stage, name)).wrapper?.expiry_timestamp;
    await warpTo(chain, { timestamp: BigInt(expiry_timestamp ?? 0) });
    expect((await expectWhoisAsOnChain(stage, name)).ownership.is_wrapped).toBe(true);
    await warp(chain, { seconds: 1n });
    const { wrapper } = await expectWhoisAsOnChain(stage, name);
    expect(wrapper).toEqual({ fuses: 0, fuse_names: [], expired: true, expiry_timestamp });
  });

  test("by the wrapped controller after that, and is wrapped again with its old owner", async () => {
    await renew(stage.chain, { from: stage.cast.bob, label: "out-of-step", controller: "controller4" });
    expect((await expectWhoisAsOnChain(stage, "out-of-step.eth")).wrapper?.expired).toBeUndefined();
  });

  told(
    "in its grace period by the wrapped controller",
    ["wrapped-late.eth"],
    async (chain, { carol: from }) => {
      await registerWrapped(chain, { from, label: "wrapped-late", duration: 30n * DAY });
      await warp(chain, { seconds: 60n * DAY });
      await renew(chain, { from, label: "wrapped-late", controller: "controller4" });
    },
  );

  told(
    "in grace by too little to leave it: the wrapper's expiry stays, because ownerOf still reverts",
    ["too-little.eth"],
    async (chain, { carol: from }) => {
      const act = { from, label: "too-little" };
      await registerWrapped(chain, { ...act, duration: 30n * DAY });
      await warp(chain, { seconds: 30n * DAY + 80n * DAY });
      await renew(chain, { ...act, controller: "controller4", duration: 5n * DAY });
    },
  );
});

test("a name given to the NameWrapper without wrapping gets an expiry there by a renewal, but no owner", async () => {
  const { chain, cast } = stage;
  const [label, to] = ["swallowed", addressOf(stage.chain, "wrapper")];
  await registerReferred(chain, { from: cast.alice, label });
  await reclaim(chain, { from: cast.alice, label, owner: cast.alice });
  await setOwner(chain, { from: cast.alice, node: ethNode(label), owner: to });
  await transferRegistration(chain, { from: cast.alice, label, to });
  await renew(chain, { from: cast.bob, label, controller: "controller4" });
  await expectWhoisAsOnChain(stage, "swallowed.eth");
  const [row] = await stage.sql<{ wrapper_expiry_timestamp: string }>(
    "select wrapper_expiry_timestamp::text from domains where node = $1",
    [ethNode(label)],
  );
  const { wrapper } = await readOnChain(chain, "swallowed.eth");
  expect(row?.wrapper_expiry_timestamp).toBe(wrapper.expiry.toString());
});
