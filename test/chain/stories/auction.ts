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
import { stage, told } from "./stage.ts";

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
    expect(answer.name).toBe(`${spelled("auctioned")}.eth`);
    // The price is the second highest bid.
    expect((await stage.events("auctioned.eth")).at(-1)).toMatchObject({
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

  told("and its deed is given to another account", ["auctioned.eth"], (chain, { alice, carol }) =>
    transferDeed(chain, { from: alice, label: "auctioned", to: carol }),
  );
});

describe("the registrar of 2019", () => {
  const [label, name, controller] = ["of-2019", "of-2019.eth", "controller1"] as const;

  told(
    "takes an auctioned name over from its deed's owner",
    ["carried.eth"],
    async (chain, { alice, deployer }) => {
      await auction("carried");
      await useOldRegistrar(chain, { from: deployer, registrar: "oldRegistrar" });
      // It took names over from 28 days after their auction on.
      await warp(chain, { seconds: 29n * DAY });
      await transferRegistrars(chain, { from: alice, label: "carried" });
    },
  );

  told("takes over: the holder of a released deed owns nothing", ["auctioned.eth"], (chain, { carol }) =>
    releaseDeed(chain, { from: carol, label: "auctioned" }),
  );

  test("registers by its controller, which spells the label out", async () => {
    const { chain, cast } = stage;
    await registerV3(chain, { from: cast.bob, label, controller });
    expect((await expectWhoisAsOnChain(stage, name)).name).toBe(name);
    expect((await stage.events(name)).at(-1)?.cost_wei).toMatch(/^[1-9]\d+$/);
  });

  told("renews, transfers, and sets a resolver", [name], async (chain, { bob: from, carol: to }) => {
    await renew(chain, { from, label, controller });
    await transferRegistration(chain, { from, label, to, registrar: "oldRegistrar" });
    const resolver = addressOf(chain, "resolver2");
    await setResolver(chain, { from, registry: "oldRegistry", node: ethNode(label), resolver });
  });

  told("has subnames, which stay in the old registry", [`www.${name}`], (chain, { bob: from, erin: owner }) =>
    setSubnodeOwner(chain, { from, registry: "oldRegistry", parent: ethNode(label), label: "www", owner }),
  );
});

describe("a name moves to the registrar of 2020", () => {
  told(
    "with its holder and expiry, while its subname stays in the old registry",
    ["of-2019.eth", "www.of-2019.eth"],
    async (chain, { deployer: from }) => {
      await useOldRegistrar(chain, { from, registrar: "registrarMigration" });
      await migrateRegistration(chain, { from, label: "of-2019" });
    },
  );

  told("while the controller of 2020 registers another one", ["of-2020.eth"], (chain, { alice }) =>
    registerWithConfigV3(chain, { from: alice, label: "of-2020", resolver: "resolver3", addr: alice }),
  );
});
