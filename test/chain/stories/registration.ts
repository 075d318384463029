import { zeroHash } from "viem";
import { beforeAll, describe, expect, test, vi } from "vitest";
import {
  addController,
  DAY,
  ethNode,
  FUSES,
  GRACE,
  hashLabel,
  latestTime,
  PREMIUM,
  REVERSE_RECORD,
  readPrice,
  registerByHash,
  registerManyReferred,
  registerOnly,
  registerReferred,
  registerV3,
  registerWithConfigV3,
  registerWrapped,
  setSubnodeOwner,
  warpTo,
  YEAR,
} from "../../../devnet/acts.ts";
import { expectRecordsAsOnChain, expectWhoisAsOnChain, readAtTime, spelled } from "../onChain.ts";
import { eventsOf, lower } from "../stage.ts";
import { beforeIndexing, stage, told } from "./stage.ts";

beforeIndexing(async (chain, { deployer, dave, bob }) => {
  await addController(chain, { from: deployer, controller: dave });
  await registerV3(chain, { from: bob, label: "backfilled" });
});

describe("a name is registered", () => {
  test("before Namedex was started", async () => {
    const answer = await expectWhoisAsOnChain(stage, "backfilled.eth");
    expect(answer).toMatchObject({
      name: "backfilled.eth",
      label: "backfilled",
      labelhash: hashLabel("backfilled"),
      parent_name: "eth",
      query: "backfilled.eth",
      availability_status: "registered",
    });
  });

  test("by the controller of 2020, without a resolver", async () => {
    const { chain, cast } = stage;
    await registerV3(chain, { from: cast.alice, label: "plain" });
    const { expiry_timestamp } = await expectWhoisAsOnChain(stage, "plain.eth");
    const price = await readPrice(chain, { controller: "controller3", label: "plain" });
    expect((await stage.events("plain.eth")).at(-1)).toMatchObject({
      owner_address: cast.alice,
      name: "plain.eth",
      cost_wei: price.toString(),
      expiry_timestamp,
      chain: "devnet",
    });
  });

  test("by the controller of 2020 with a resolver and an address, for another owner", async () => {
    const { chain, cast } = stage;
    const [name, resolver] = ["configured.eth", "resolver3"];
    const act = { from: cast.alice, owner: cast.bob, resolver, addr: cast.carol };
    await registerWithConfigV3(chain, { ...act, label: "configured" });
    expect((await expectWhoisAsOnChain(stage, name)).resolver).toMatchObject({ chain: "devnet" });
    const { addresses } = await expectRecordsAsOnChain(stage, { resolver, name });
    expect(addresses).toEqual({ 60: lower(cast.carol) });
  });

  test("by the wrapped controller, with fuses and records", async () => {
    const { chain, cast } = stage;
    await registerWrapped(chain, {
      from: cast.alice,
      label: "enclosed",
      resolver: "resolver4",
      records: [
        { kind: "addr", address: cast.alice },
        { kind: "text", key: "url", value: "https://enclosed.example" },
      ],
      fuses: FUSES.CANNOT_UNWRAP,
    });
    const answer = await expectWhoisAsOnChain(stage, "enclosed.eth");
    expect(answer.wrapper?.fuse_names).toEqual(["CANNOT_UNWRAP", "PARENT_CANNOT_CONTROL", "IS_DOT_ETH"]);
    const records = await expectRecordsAsOnChain(stage, { resolver: "resolver4", name: "enclosed.eth" });
    expect(records.texts).toEqual({ url: "https://enclosed.example" });
    const bought = (await stage.events("enclosed.eth")).at(-1);
    expect(bought).toMatchObject({ event_type: "NameRegistered", premium_wei: "0" });
    expect(bought?.base_cost_wei).toBe(bought?.cost_wei);
  });

  test("by the controller of 2025, with a referrer, records and a primary name", async () => {
    const { chain, cast } = stage;
    const referrer = hashLabel("a friend");
    await registerReferred(chain, {
      from: cast.alice,
      label: "newest",
      resolver: "resolver5",
      records: [
        { kind: "addr", address: cast.alice },
        { kind: "text", key: "display", value: "NEWEST.eth" },
      ],
      reverseRecord: REVERSE_RECORD.both,
      referrer,
    });
    const answer = await expectWhoisAsOnChain(stage, "newest.eth");
    expect(answer.display).toBe("NEWEST.eth");
    const bought = (await stage.events("newest.eth")).find(({ contract }) =>
      contract.startsWith("CONTROLLER_"),
    );
    const price = await readPrice(chain, { controller: "controller5", label: "newest" });
    expect(bought).toMatchObject({ referrer, cost_wei: price.toString(), premium_wei: "0" });
    const claims = await stage.sql(
      "select coin_type, name from primary_names where address = $1 order by coin_type",
      [lower(cast.alice)],
    );
    expect(claims).toEqual([
      { coin_type: "60", name: "newest.eth" },
      { coin_type: "2147483648", name: "newest.eth" },
    ]);
  });

  test("by its hash alone: the label is unknown, and counted as pending", async () => {
    const { chain, cast } = stage;
    const before = await stage.stack.api<{ pendingCount: number }>("/pending-stats");
    await registerByHash(chain, { from: cast.dave, label: "untold", owner: cast.bob });
    const byHash = await stage.whois(`${spelled("untold")}.eth`);
    const answer = await expectWhoisAsOnChain(stage, "untold.eth");
    expect(answer).toMatchObject({
      query: "untold.eth",
      name: `${spelled("untold")}.eth`,
      label: spelled("untold"),
      token_id: BigInt(hashLabel("untold")).toString(),
    });
    expect(byHash).toEqual({
      ...answer,
      query: `${spelled("untold")}.eth`,
      source: "live",
      resolution: "no_resolver",
    });
    // The caller's name proved the label, which is now shown to everyone.
    await vi.waitFor(
      async () => expect((await stage.whois(`${spelled("untold")}.eth`)).name).toBe("untold.eth"),
      { timeout: 60_000 },
    );
    const after = await stage.stack.api<{ pendingCount: number }>("/pending-stats");
    expect(after.body.pendingCount).toBe(before.body.pendingCount + 1);
  });

  told("without the registry, which keeps its previous owner", ["half.eth"], (chain, { bob, dave }) =>
    registerOnly(chain, { from: dave, label: "half", owner: bob }),
  );

  test("together with others in one transaction", async () => {
    const { chain, cast } = stage;
    const receipt = await registerManyReferred(chain, {
      from: cast.carol,
      registrations: [
        { label: "one-of-three", resolver: "resolver5", records: [{ kind: "addr", address: cast.carol }] },
        { label: "two-of-three", duration: 2n * YEAR },
        { label: "three-of-three", owner: cast.bob },
      ],
    });
    for (const label of ["one", "two", "three"]) {
      const name = `${label}-of-three.eth`;
      await expectWhoisAsOnChain(stage, name);
      const events = eventsOf(await stage.events(name), receipt);
      expect(events.filter(({ event_type }) => event_type === "NameRegistered")).toHaveLength(2);
    }
    const costs = await stage.sql<{ cost: string }>(
      "select sum(cost_wei)::text as cost from events where transaction_hash = $1 and contract = 'CONTROLLER'",
      [receipt.transactionHash],
    );
    const { value } = await chain.client.getTransaction({ hash: receipt.transactionHash });
    expect(costs).toEqual([{ cost: value.toString() }]);
  });
});

describe("a name that was never registered", () => {
  test("is available from three characters on, and has an unknown state below", async () => {
    expect(await stage.whoisAbsent("unregistered.eth")).toEqual({
      query: "unregistered.eth",
      availability_status: "available",
      resolution: "not_registered",
      source: "indexed",
    });
    expect((await stage.whoisAbsent("ab.eth")).availability_status).toBe("unknown");
    expect((await stage.whoisAbsent("sub.unregistered.eth")).availability_status).toBe("unknown");
    expect(await stage.events("unregistered.eth")).toEqual([]);
  });
});

describe("a registration ends", () => {
  const states: [string, bigint, string][] = [
    ["one second before its expiry it is registered", -1n, "registered"],
    ["at its expiry it is in grace, and the last registrant stays its owner", 0n, "grace"],
    ["90 days later it is still in grace", GRACE, "grace"],
    ["a second after that it is for sale at a premium", GRACE + 1n, "premium"],
    ["a second before day 111 there is a premium still", GRACE + PREMIUM - 1n, "premium"],
    ["from day 111 on it is available", GRACE + PREMIUM, "available"],
  ];
  let expiry: bigint;
  beforeAll(async () => {
    const { chain, cast } = stage;
    await registerReferred(chain, { from: cast.bob, label: "ending", duration: 40n * DAY });
    await registerWrapped(chain, { from: cast.carol, label: "ending-wrapped", duration: 40n * DAY });
    expiry = BigInt((await stage.whois("ending.eth")).expiry_timestamp ?? 0);
  });

  test.each(states)("%s", async (_, offset, state) => {
    await warpTo(stage.chain, { timestamp: expiry + offset });
    const answer = await expectWhoisAsOnChain(stage, "ending.eth");
    expect(answer.availability_status).toBe(state);
    expect(answer.ownership.owner).toBe(stage.cast.bob);
  });

  test("a wrapped one loses its wrapper owner and fuses with the grace period", async () => {
    const { wrapper } = await expectWhoisAsOnChain(stage, "ending-wrapped.eth");
    expect(wrapper).toMatchObject({ fuses: 0, fuse_names: [], expired: true });
  });
});

describe("an ended registration is bought by another account", () => {
  test("that pays the premium, and gets the token after the old one was burnt", async () => {
    const { chain, cast } = stage;
    await registerWrapped(chain, { from: cast.carol, label: "second-life", duration: 40n * DAY });
    const old = BigInt((await stage.whois("second-life.eth")).expiry_timestamp ?? 0);
    await warpTo(chain, { timestamp: old + GRACE + 15n * DAY });
    const act = { from: cast.bob, label: "second-life", referrer: zeroHash };
    const receipt = await registerReferred(chain, act);
    expect((await expectWhoisAsOnChain(stage, "second-life.eth")).wrapper).toBeUndefined();
    const events = eventsOf(await stage.events("second-life.eth"), receipt);
    const { timestamp } = await chain.client.getBlock({ blockNumber: receipt.blockNumber });
    const question = { contract: "priceOracle4", functionName: "premium", args: ["second-life", old, 0n] };
    const premium = await readAtTime<bigint>(chain, question, timestamp);
    const base = await readPrice(chain, { controller: "controller5", label: "second-life" });
    expect(premium).toBeGreaterThan(0n);
    expect(events.at(-1)).toMatchObject({
      premium_wei: premium.toString(),
      base_cost_wei: base.toString(),
      cost_wei: (base + premium).toString(),
    });
  });

  told(
    "and subnames of the first life stay with their owners",
    ["heir.eth", "old.heir.eth"],
    async (chain, { alice: from, bob, dave }) => {
      await registerV3(chain, { from, label: "heir", duration: 40n * DAY });
      await setSubnodeOwner(chain, { from, parent: ethNode("heir"), label: "old", owner: dave });
      await warpTo(chain, { timestamp: (await latestTime(chain)) + 40n * DAY + GRACE + PREMIUM });
      await registerV3(chain, { from: bob, label: "heir" });
    },
  );
});
