import type { Address } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  addController,
  addressOf,
  type Chain,
  contractOf,
  DAY,
  ethNode,
  GRACE,
  registerWrapped,
  renew,
  renewByHash,
  send,
  tokenIdOf,
  warpTo,
  YEAR,
} from "../../../devnet/acts.ts";
import { double } from "../../../devnet/deployer.ts";
import { expectedWhois, expectWhoisAsOnChain, judged } from "../onChain.ts";
import { lower } from "../stage.ts";
import { beforeIndexing, foundControllers, stage } from "./stage.ts";

/*
 * The NameWrapper accepts controllers that the deployment does not list: one that logs like the controller of 2023, and accounts
 * that renew without their own log.
 */

/** Renews at the registrar itself, and later also through the wrapper. */
const silent = () => stage.cast.dave;

beforeIndexing(async (chain, { deployer, dave }) => {
  await addController(chain, { from: deployer, controller: dave });
});

const take = (controller: Address, active: boolean) =>
  send(stage.chain, {
    from: stage.cast.deployer,
    contract: "wrapper",
    functionName: "setController",
    args: [controller, active],
  });

const renewThroughWrapper = (label: string) =>
  send(stage.chain, {
    from: silent(),
    contract: "wrapper",
    functionName: "renew",
    args: [tokenIdOf(label), YEAR],
  });

const expiryOf = async (name: string) => BigInt((await stage.whois(name)).expiry_timestamp ?? 0);

const unexplained = async (label: string) => {
  const [row] = await stage.sql<{ unexplained_renewals: number | null }>(
    "select unexplained_renewals from domains where node = $1",
    [ethNode(label)],
  );
  return row?.unexplained_renewals;
};

/** Whois matches the contracts, and the index alone does not. */
async function expectLiveAsOnChain(name: string) {
  const answer = await stage.whois(name);
  expect(judged(answer)).toEqual(await expectedWhois(stage.chain, name));
  expect(answer.source).toBe("live");
  return answer;
}

type Listed = { results: { name: string; ownership: { owner?: string } }[]; total: number };

const listedOf = async (owner: Address) =>
  (await stage.stack.api<Listed>(`/address/${owner}/domains?include_expired=true`)).body.results.map(
    ({ name }) => name,
  );

describe("a controller without logs renews wrapped names", () => {
  const labels = ["hushed", "hushed-directly", "hushed-once", "hushed-before"];
  let tokenEnd: bigint;

  beforeAll(async () => {
    const { chain, cast } = stage;
    for (const label of labels) {
      await registerWrapped(chain, { from: cast.erin, label, duration: 30n * DAY });
    }
    await renewByHash(chain, { from: silent(), label: "hushed-before" });
    await take(silent(), true);
    await renewThroughWrapper("hushed");
    await renewByHash(chain, { from: silent(), label: "hushed-directly" });
    await renewThroughWrapper("hushed-once");
    // All were sold within an hour.
    tokenEnd = (await expiryOf("hushed-once.eth")) - YEAR + GRACE + 3_600n;
  });
  afterAll(() => take(silent(), false));

  test("before the wrapper accepted it: the wrapper's expiry stays, and the index knows it", async () => {
    expect(await unexplained("hushed-before")).toBeNull();
    await expectWhoisAsOnChain(stage, "hushed-before.eth");
  });

  test("through the wrapper or directly: the index knows the registrar's expiry, and the chain is asked for the wrapper's", async () => {
    for (const label of ["hushed", "hushed-directly"]) {
      expect(await unexplained(label)).toBe(1);
      expect((await expectLiveAsOnChain(`${label}.eth`)).ownership.owner).toBe(stage.cast.erin);
    }
    expect(await listedOf(stage.cast.erin)).toEqual(
      expect.arrayContaining(labels.map((label) => `${label}.eth`)),
    );
  });

  test("and once the old token could have ended, whois gives the owner, and lists give none", async () => {
    await warpTo(stage.chain, { timestamp: tokenEnd + 1n });
    const through = await expectLiveAsOnChain("hushed.eth");
    expect(through.ownership).toMatchObject({ is_wrapped: true, owner: stage.cast.erin });
    const directly = await expectLiveAsOnChain("hushed-directly.eth");
    expect(directly.ownership).toMatchObject({
      is_wrapped: false,
      owner: addressOf(stage.chain, "wrapper"),
    });
    const { body } = await stage.stack.api<Listed>("/search-domains?q=hushed");
    const owners = Object.fromEntries(body.results.map(({ name, ownership }) => [name, ownership.owner]));
    expect(owners).toEqual({
      "hushed-before.eth": addressOf(stage.chain, "wrapper"),
      "hushed.eth": undefined,
      "hushed-directly.eth": undefined,
      "hushed-once.eth": undefined,
    });
    const hushed = ["hushed.eth", "hushed-directly.eth", "hushed-once.eth"];
    for (const owner of [stage.cast.erin, addressOf(stage.chain, "wrapper")]) {
      const names = await listedOf(owner);
      expect(names.filter((name) => hushed.includes(name))).toEqual([]);
    }
  });

  test("and their history ends when the old token could have ended", async () => {
    type History = { history: { address: string; ended_by?: string }[]; total: number };
    for (const name of ["hushed.eth", "hushed-directly.eth"]) {
      const { body } = await stage.stack.api<History>(`/domain/${name}/ownership-history`);
      expect(body.history.map(({ address, ended_by }) => [address, ended_by])).toEqual([
        [stage.cast.erin, "wrapper_expiry"],
      ]);
      expect(body.total).toBe(1);
    }
    const { body } = await stage.stack.api<History>("/domain/hushed-before.eth/ownership-history");
    expect(body.history.map(({ address }) => address)).toEqual([
      stage.cast.erin,
      addressOf(stage.chain, "wrapper"),
    ]);
  });

  test("until a known controller renews them: then the index knows again", async () => {
    const { chain, cast } = stage;
    await renew(chain, { from: cast.bob, label: "hushed-once", controller: "controller4" });
    expect(await unexplained("hushed-once")).toBeNull();
    const answer = await expectWhoisAsOnChain(stage, "hushed-once.eth");
    expect(answer.ownership).toMatchObject({ is_wrapped: true, owner: cast.erin });
  });
});

describe("a controller that logs like a known one", () => {
  /** The chain with such a controller. */
  let chain: Chain;
  const [label, controller] = ["taken-on", "controllerTakenOn"];

  beforeAll(async () => {
    const { abi, bytecode } = double("WrappedControllerDouble");
    const { client } = stage.chain;
    const contracts = ["registrar", "priceOracle4", "reverseRegistrar3", "wrapper"].map((name) =>
      addressOf(stage.chain, name),
    );
    const [registrar, prices, reverse, wrapper] = contracts;
    const args = [registrar, prices, 60n, 86_400n, reverse, wrapper];
    const from = { account: stage.cast.deployer, chain: null };
    const hash = await client.deployContract({ ...from, abi, bytecode, args });
    const { contractAddress } = await client.waitForTransactionReceipt({ hash });
    if (!contractAddress) throw new Error("the controller was not created");
    foundControllers.push(contractAddress);
    chain = {
      ...stage.chain,
      contracts: { ...stage.chain.contracts, [controller]: { address: contractAddress, abi } },
    };
    await take(contractAddress, true);
    await registerWrapped(chain, { from: stage.cast.erin, label, controller });
  });
  afterAll(() => take(contractOf(chain, controller).address, false));

  test("sells wrapped names, with label and price", async () => {
    await expectWhoisAsOnChain(stage, "taken-on.eth");
    const [sale] = await stage.sql<{ name: string; cost_wei: string | null }>(
      "select name, cost_wei::text from events where contract_address = $1 and event_type = 'NameRegistered'",
      [lower(contractOf(chain, controller).address)],
    );
    expect(sale).toMatchObject({ name: "taken-on.eth", cost_wei: expect.stringMatching(/^\d+$/) });
  });

  test("renews them with the wrapper's expiry, and the index knows it", async () => {
    await renew(chain, { from: stage.cast.bob, label, controller });
    expect(await unexplained(label)).toBeNull();
    await expectWhoisAsOnChain(stage, "taken-on.eth");
  });

  test("is not believed once the registrar accepts it, too: it may renew either way", async () => {
    const { address } = contractOf(chain, controller);
    await addController(stage.chain, { from: stage.cast.deployer, controller: address });
    await renew(chain, { from: stage.cast.bob, label, controller });
    expect(await unexplained(label)).toBe(1);
    await expectLiveAsOnChain("taken-on.eth");
    const [row] = await stage.sql<{ count: number }>(
      "select count(*)::int as count from events where contract_address = $1 and event_type = 'NameRenewed'",
      [lower(address)],
    );
    expect(row).toEqual({ count: 2 });
  });
});
