import { parseEther } from "viem";
import { describe, expect, test } from "vitest";
import {
  addressOf,
  auctionName,
  DAY,
  ethNode,
  migrateRegistration,
  registerV3,
  registerWithConfigV3,
  releaseDeed,
  renew,
  setResolver,
  setSubnodeOwner,
  transferDeed,
  transferRegistrars,
  transferRegistration,
  useOldRegistrar,
  warp,
} from "../../../devnet/acts.ts";
import { expectWhoisAsOnChain, spelled } from "../onChain.ts";
import { namesOf } from "../stage.ts";
import { stage } from "./stage.ts";

const auction = (label: string) =>
  auctionName(stage.chain, {
    label,
    bids: [
      { from: stage.cast.alice, value: parseEther("0.5") },
      { from: stage.cast.bob, value: parseEther("0.02") },
    ],
  });

describe("a name is auctioned in 2017", () => {
  test("and belongs to the highest bidder, only in the old registry", async () => {
    const { cast } = stage;
    await auction("auctioned");
    const answer = await expectWhoisAsOnChain(stage, "auctioned.eth");
    expect(answer).toMatchObject({
      name: `${spelled("auctioned")}.eth`,
      expiry_timestamp: null,
      ownership: {
        is_wrapped: false,
        owner: cast.alice,
        is_owner_current: false,
        registry: cast.alice,
        ended_by: "no_registration",
        last_owner: { address: cast.alice, ended_by: "no_registration" },
      },
    });
    const events = await stage.events("auctioned.eth");
    expect(namesOf(events)).toEqual([
      "REGISTRAR_AUCTION AuctionStarted",
      "REGISTRAR_AUCTION BidRevealed",
      "REGISTRAR_AUCTION BidRevealed",
      "REGISTRY_OLD NewOwner",
      "REGISTRAR_AUCTION HashRegistered",
    ]);
    // The price is the second highest bid.
    expect(events.at(-1)).toMatchObject({
      owner_address: cast.alice,
      cost_wei: parseEther("0.02").toString(),
    });
  });

  test("and its sealed bids name only their bidders", async () => {
    const bids = await stage.sql<{ from_address: string; node: string | null }>(
      "select from_address, node from events where event_type = 'NewBid' order by block_number",
    );
    expect(bids.map(({ node }) => node)).toEqual([null, null]);
  });

  test("and its deed is given to another account", async () => {
    const { chain, cast } = stage;
    await transferDeed(chain, { from: cast.alice, label: "auctioned", to: cast.carol });
    expect((await expectWhoisAsOnChain(stage, "auctioned.eth")).ownership.owner).toBe(cast.carol);
  });
});

describe("the registrar of 2019", () => {
  test("takes an auctioned name over from its deed's owner", async () => {
    const { chain, cast } = stage;
    await auction("carried");
    await useOldRegistrar(chain, { from: cast.deployer, registrar: "oldRegistrar" });
    // It took names over from 28 days after their auction on.
    await warp(chain, { seconds: 29n * DAY });
    await transferRegistrars(chain, { from: cast.alice, label: "carried" });
    const answer = await expectWhoisAsOnChain(stage, "carried.eth");
    expect(answer.ownership.owner).toBe(cast.alice);
    expect(namesOf(await stage.events("carried.eth"))).toContain("REGISTRAR_OLD Transfer");
  });

  test("takes over: the holder of a released deed owns nothing", async () => {
    const { chain, cast } = stage;
    await releaseDeed(chain, { from: cast.carol, label: "auctioned" });
    const answer = await expectWhoisAsOnChain(stage, "auctioned.eth");
    expect(answer.ownership).toEqual({
      is_wrapped: false,
      owner: cast.carol,
      is_owner_current: false,
      registry: cast.carol,
      ended_by: "no_registration",
      last_owner: { address: cast.carol, ended_by: "no_registration" },
    });
    expect(namesOf(await stage.events("auctioned.eth")).at(-1)).toBe("REGISTRAR_AUCTION HashReleased");
  });

  test("registers by its controller, which spells the label out", async () => {
    const { chain, cast } = stage;
    await registerV3(chain, { from: cast.bob, label: "of-2019", controller: "controller1" });
    const answer = await expectWhoisAsOnChain(stage, "of-2019.eth");
    expect(answer).toMatchObject({ name: "of-2019.eth", ownership: { owner: cast.bob, registry: cast.bob } });
    const events = await stage.events("of-2019.eth");
    expect(namesOf(events)).toEqual([
      "REGISTRAR_OLD Transfer",
      "REGISTRY_OLD NewOwner",
      "REGISTRAR_OLD NameRegistered",
      "CONTROLLER NameRegistered",
    ]);
    expect(events.at(-1)?.cost_wei).toMatch(/^[1-9]\d+$/);
  });

  test("renews, transfers, and sets a resolver", async () => {
    const { chain, cast } = stage;
    await renew(chain, { from: cast.bob, label: "of-2019", controller: "controller1" });
    const registrar = "oldRegistrar";
    await transferRegistration(chain, { from: cast.bob, label: "of-2019", to: cast.carol, registrar });
    const resolver = addressOf(chain, "resolver2");
    await setResolver(chain, {
      from: cast.bob,
      registry: "oldRegistry",
      node: ethNode("of-2019"),
      resolver,
    });
    const answer = await expectWhoisAsOnChain(stage, "of-2019.eth");
    expect(answer.resolver.address).toBe(resolver);
    expect(namesOf(await stage.events("of-2019.eth")).slice(-4)).toEqual([
      "REGISTRAR_OLD NameRenewed",
      "CONTROLLER NameRenewed",
      "REGISTRAR_OLD Transfer",
      "REGISTRY_OLD NewResolver",
    ]);
  });

  test("has subnames, which stay in the old registry", async () => {
    const { chain, cast } = stage;
    const act = { registry: "oldRegistry", parent: ethNode("of-2019"), label: "www", owner: cast.erin };
    await setSubnodeOwner(chain, { from: cast.bob, ...act });
    expect((await expectWhoisAsOnChain(stage, "www.of-2019.eth")).ownership.owner).toBe(cast.erin);
  });
});

describe("a name moves to the registrar of 2020", () => {
  test("with its holder and expiry, and leaves the old registry", async () => {
    const { chain, cast } = stage;
    await useOldRegistrar(chain, { from: cast.deployer, registrar: "registrarMigration" });
    await migrateRegistration(chain, { from: cast.deployer, label: "of-2019" });
    const answer = await expectWhoisAsOnChain(stage, "of-2019.eth");
    expect(answer.ownership).toMatchObject({ owner: cast.carol, registrar: cast.carol });
    expect(answer.expiry_timestamp).not.toBeNull();
    expect(answer.availability_status).toBe("registered");
    expect(namesOf(await stage.events("of-2019.eth"))).toContain("REGISTRAR NameRegistered");
  });

  test("and its subname in the old registry is still answered from there", async () => {
    const answer = await expectWhoisAsOnChain(stage, "www.of-2019.eth");
    expect(answer.ownership.owner).toBe(stage.cast.erin);
  });

  test("while the controller of 2020 registers another one", async () => {
    const { chain, cast } = stage;
    const act = { from: cast.alice, label: "of-2020", resolver: "resolver3", addr: cast.alice };
    await registerWithConfigV3(chain, act);
    expect((await expectWhoisAsOnChain(stage, "of-2020.eth")).ownership.owner).toBe(cast.alice);
  });
});
