import { type Abi, type Address, type TransactionReceipt, toEventSelector, toEventSignature } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  addController,
  addressOf,
  attempt,
  basenameNode,
  buyBasename,
  buyLineaname,
  type Chain,
  DAY,
  GRACE,
  lineanameNode,
  reclaim,
  registerByOwner,
  registerByPerson,
  registerOnly,
  registerWithoutBurn,
  renewBasename,
  renewByPerson,
  renewLineaname,
  setReverseName,
  warp,
  writeRecord,
  YEAR,
} from "../../devnet/acts.ts";
import { type Anvil, startAnvil } from "../../devnet/anvil.ts";
import { DISCOUNTS, deployBasenames, deployLineanames } from "../../devnet/deployLayer2.ts";
import { connect } from "../../devnet/localChain.ts";
import { START } from "./chain.ts";

type Layer2 = Chain & { anvil: Anvil };

async function open(chainId: number, deploy: typeof deployBasenames): Promise<Layer2> {
  const anvil = await startAnvil({ chainId, timestamp: START, blockSeconds: 2 });
  const client = connect(anvil.url);
  const { contracts } = await deploy(client);
  return { client, accounts: await client.getAddresses(), contracts, anvil };
}

/** `contract Event` of each log, by the contracts' own ABIs. */
function wordsOf(chain: Chain, { logs }: TransactionReceipt): string[] {
  return logs.map(({ address, topics }) => {
    const found = Object.entries(chain.contracts).find(([, one]) => one.address.toLowerCase() === address);
    const event = eventsOf(found?.[1].abi ?? []).find((one) => toEventSelector(one) === topics[0]);
    return `${found?.[0]} ${event?.name}`;
  });
}

const eventsOf = (abi: Abi) => abi.flatMap((item) => (item.type === "event" ? [item] : []));

/** Events as the contracts on Base and Linea declare them, with the beginning of their topics there. */
const published = {
  registrar: {
    "0xb3d98796": "NameRegistered(uint256,address,uint256)",
    "0xfd724d25": "NameRegisteredWithRecord(uint256,address,uint256,address,uint64)",
    "0x9b87a00e": "NameRenewed(uint256,uint256)",
    "0x0a8bb315": "ControllerAdded(address)",
    "0x33d83959": "ControllerRemoved(address)",
  },
  controller1: {
    "0x0667086d": "NameRegistered(string,bytes32,address,uint256)",
    "0x93bc1a84": "NameRenewed(string,bytes32,uint256)",
    "0xbc769889": "ETHPaymentProcessed(address,uint256)",
    "0xfe82878a": "DiscountApplied(address,bytes32)",
  },
  reverseRegistrar: { "0x94a5ce4d": "BaseReverseClaimed(address,bytes32)" },
  controller: {
    "0x69e37f15": "NameRegistered(string,bytes32,address,uint256,uint256,uint256)",
    "0xc20d0170": "PohNameRegistered(string,bytes32,address,uint256)",
    "0x508f53f3": "OwnerNameRegistered(string,bytes32,address,uint256)",
    "0x3da24c02": "NameRenewed(string,bytes32,uint256,uint256)",
    "0x8c1769c9": "NameRenewedPoh(string,bytes32,uint256)",
  },
};

function expectPublished(chain: Chain, contracts: (keyof typeof published)[]): void {
  for (const contract of contracts) {
    const events = eventsOf(chain.contracts[contract]?.abi ?? []);
    const ours = Object.fromEntries(
      events.map((event) => [toEventSelector(event).slice(0, 10), toEventSignature(event)]),
    );
    expect(ours).toMatchObject(published[contract]);
  }
}

describe("the double of Basenames", () => {
  let base: Layer2;
  let root: Address;
  let ann: Address;
  let bob: Address;
  beforeAll(async () => {
    base = await open(8453, deployBasenames);
    [root, ann, bob] = base.accounts as [Address, Address, Address];
    for (const contract of ["controller1", "controller2", "controller3"]) {
      await addController(base, { from: root, controller: addressOf(base, contract) });
    }
    await addController(base, { from: root, controller: root });
  });
  afterAll(() => base?.anvil.stop());

  test("has the events of the contracts on Base", () =>
    expectPublished(base, ["registrar", "controller1", "reverseRegistrar"]));

  test("says the price first and the name last, and the discount after it", async () => {
    const request = { from: ann, resolver: "resolver1", reverseRecord: true } as const;
    const sold = await buyBasename(base, {
      ...request,
      label: "ann",
      controller: "controller2",
      records: [{ kind: "addr", address: ann }],
    });
    const registration = [
      "registrar Transfer",
      "registry NewOwner",
      "registry NewResolver",
      "registrar NameRegisteredWithRecord",
    ];
    const reverse = [
      "reverseRegistrar BaseReverseClaimed",
      "registry NewOwner",
      "registry NewResolver",
      "resolver1 NameChanged",
    ];
    expect(wordsOf(base, sold)).toEqual([
      "controller2 ETHPaymentProcessed",
      ...registration,
      "resolver1 AddressChanged",
      "resolver1 AddrChanged",
      ...reverse,
      "controller2 NameRegistered",
    ]);
    const discount = DISCOUNTS.free;
    const free = { from: bob, label: "bobby", controller: "controller3", resolver: "resolver2", discount };
    expect(wordsOf(base, await buyBasename(base, free))).toEqual([
      "controller3 ETHPaymentProcessed",
      ...registration,
      "controller3 NameRegistered",
      "controller3 DiscountApplied",
    ]);
    const again = await attempt(() => buyBasename(base, { ...free, label: "bobby2" }));
    expect(again).toMatchObject({ outcome: "reverted" });
  });

  test("keeps the price to the wei, and gives back the rest", async () => {
    const balance = () => base.client.getBalance({ address: addressOf(base, "controller2") });
    const before = await balance();
    const ofTwelveLetters = 3_170_979n * YEAR;
    const renewal = { from: bob, label: "ann", controller: "controller2" };
    expect(wordsOf(base, await renewBasename(base, { ...renewal, value: 10n ** 18n }))).toEqual([
      "controller2 ETHPaymentProcessed",
      "registrar NameRenewed",
      "controller2 NameRenewed",
    ]);
    expect((await balance()) - before).toBe(3_170_979_198n * YEAR);
    await buyBasename(base, {
      from: ann,
      label: "twelveletter",
      controller: "controller2",
      value: 10n ** 18n,
    });
    expect((await balance()) - before).toBe(3_170_979_198n * YEAR + ofTwelveLetters);
  });

  test("burns a lapsed token before it mints, unless asked not to", async () => {
    await registerOnly(base, { from: root, label: "once", owner: ann, duration: 10n * DAY });
    await registerOnly(base, { from: root, label: "over", owner: ann, duration: 10n * DAY });
    await warp(base, { seconds: 10n * DAY + GRACE + 1n });
    const burnt = await registerOnly(base, { from: root, label: "once", owner: bob });
    expect(wordsOf(base, burnt)).toEqual([
      "registrar Transfer",
      "registrar Transfer",
      "registrar NameRegistered",
    ]);
    const over = await registerWithoutBurn(base, { from: root, label: "over", owner: bob });
    expect(wordsOf(base, over)).toEqual([
      "registrar Transfer",
      "registry NewOwner",
      "registrar NameRegistered",
    ]);
  });

  test("gives a name without a node one when its owner reclaims it", async () => {
    expect(wordsOf(base, await reclaim(base, { from: bob, label: "once", owner: ann }))).toEqual([
      "registry NewOwner",
    ]);
  });

  test("lets only the second resolver have an empty Ethereum address", async () => {
    const write = { kind: "coin", coinType: 60n, bytes: "0x" } as const;
    const done = await writeRecord(base, {
      from: bob,
      resolver: "resolver2",
      node: basenameNode("bobby"),
      write,
    });
    expect(wordsOf(base, done)).toEqual(["resolver2 AddressChanged", "resolver2 AddrChanged"]);
    const first = { from: ann, resolver: "resolver1", node: basenameNode("ann"), write };
    expect(await attempt(() => writeRecord(base, first))).toMatchObject({ outcome: "reverted" });
  });

  test("claims reverse names as the registrar before ENSIP-19 did", async () => {
    const named = await setReverseName(base, {
      from: bob,
      name: "bobby.base.eth",
      registrar: "reverseRegistrar",
    });
    expect(wordsOf(base, named)).toEqual([
      "reverseRegistrar BaseReverseClaimed",
      "registry NewOwner",
      "registry NewResolver",
      "resolver1 NameChanged",
    ]);
  });
});

describe("the double of Lineanames", () => {
  let linea: Layer2;
  let root: Address;
  let ann: Address;
  let bob: Address;
  const wrapped = [
    "registrar Transfer",
    "registry NewOwner",
    "registrar NameRegistered",
    "wrapper TransferSingle",
    "wrapper NameWrapped",
    "registry NewResolver",
  ];
  beforeAll(async () => {
    linea = await open(59_144, deployLineanames);
    [root, ann, bob] = linea.accounts as [Address, Address, Address];
  });
  afterAll(() => linea?.anvil.stop());

  test("has the events of the contracts on Linea", () => expectPublished(linea, ["controller"]));

  test("registers wrapped, for a price, for a person, and by its owner", async () => {
    const sold = await buyLineaname(linea, {
      from: ann,
      label: "ann",
      reverseRecord: true,
      records: [{ kind: "text", key: "url", value: "https://ann.example" }],
    });
    expect(wordsOf(linea, sold)).toEqual([
      ...wrapped,
      "resolver TextChanged",
      "reverseRegistrar ReverseClaimed",
      "registry NewOwner",
      "registry NewResolver",
      "resolver NameChanged",
      "controller NameRegistered",
    ]);
    const free = await registerByPerson(linea, { from: bob, label: "person" });
    expect(wordsOf(linea, free)).toEqual([...wrapped, "controller PohNameRegistered"]);
    const again = await attempt(() => registerByPerson(linea, { from: bob, label: "twice" }));
    expect(again).toEqual({ outcome: "reverted", reason: `OwnerAlreadyRegistered(${bob})` });
    const given = await registerByOwner(linea, { from: root, label: "given", owner: ann });
    expect(wordsOf(linea, given)).toEqual([...wrapped, "controller OwnerNameRegistered"]);
  });

  test("keeps the name below linea.eth in the wrapper", async () => {
    const { address, abi } = linea.contracts.wrapper ?? expect.fail("no wrapper");
    const args = [lineanameNode("ann")];
    const name = await linea.client.readContract({ address, abi, functionName: "names", args });
    expect(name).toBe("0x03616e6e056c696e65610365746800");
  });

  test("renews through the wrapper, and for verified persons only near the end", async () => {
    const renewed = await renewLineaname(linea, { from: bob, label: "ann" });
    expect(wordsOf(linea, renewed)).toEqual(["registrar NameRenewed", "controller NameRenewed"]);
    const early = await attempt(() => renewByPerson(linea, { from: bob, label: "person" }));
    expect(early).toMatchObject({
      outcome: "reverted",
      reason: expect.stringMatching(/^RenewPOHNotStarted/),
    });
    await warp(linea, { seconds: 3n * YEAR - 10n * DAY });
    const near = await renewByPerson(linea, { from: bob, label: "person" });
    expect(wordsOf(linea, near)).toEqual(["registrar NameRenewed", "controller NameRenewedPoh"]);
  });
});
