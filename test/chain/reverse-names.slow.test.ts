import { type Address, zeroAddress } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Chain } from "../../devnet/acts.ts";
import {
  addressOf,
  claimReverse,
  claimReverseWithResolver,
  clearRecords,
  fixBlockTimes,
  read,
  reverseNode,
  send,
  sendThroughMulticall,
  setDefaultName,
  setLayer2Name,
  setResolver,
  setReverseName,
  setReverseNameForAddr,
  useReverseRegistrar,
  writeRecord,
} from "../../devnet/acts.ts";
import { type Anvil, startAnvil } from "../../devnet/anvil.ts";
import { deployLayer2 } from "../../devnet/deployLayer2.ts";
import { connect, startLocalChain } from "../../devnet/localChain.ts";
import { exactText } from "../../src/ens/storable.ts";
import { expectEveryLogOnce, expectWhoisAsOnChain, spelled } from "./onChain.ts";
import { eventsOf, lower, namesOf, type Stage, stageOf } from "./stage.ts";

const LAYER_2 = 31_338;
const DEFAULT_COIN_TYPE = 0x80000000;

let stage: Stage;
let layer2: { anvil: Anvil; chain: Chain };
beforeAll(async () => {
  const local = await startLocalChain({ contracts: { layer2ReverseRegistrar: true } });
  const anvil = await startAnvil({ chainId: LAYER_2 });
  const client = connect(anvil.url);
  const { chain, contracts } = await deployLayer2(client, { name: "layer-two" });
  layer2 = { anvil, chain: { client, accounts: local.chain.accounts, contracts } };
  await fixBlockTimes(layer2.chain);
  await setLayer2Name(layer2.chain, { from: local.chain.accounts[1] as Address, name: "before.eth" });
  stage = await stageOf(
    { ...local, deployment: { ...local.deployment, layer2: [chain] } },
    { env: { [`RPC_URL_${LAYER_2}`]: anvil.url } },
  );
});
afterAll(async () => {
  await stage?.close();
  await layer2?.anvil.stop();
});

type Claim = { coin_type: string; name: string | null; is_name_known: boolean; registrar: string };

/** Claims of an address, by coin type. */
async function listClaims(address: Address): Promise<Claim[]> {
  const rows = await stage.sql<Claim>(
    "select coin_type, name, is_name_known, registrar from primary_names where address = $1 order by coin_type",
    [lower(address)],
  );
  return rows.map((row) => ({ ...row, name: exactText(row.name) }));
}

/** The names that an address claimed, oldest first. */
async function listHistory(address: Address): Promise<(string | null)[]> {
  const rows = await stage.sql<{ name: string | null }>(
    "select name from primary_name_changes where address = $1 order by block_timestamp, block_number, log_index",
    [lower(address)],
  );
  return rows.map(({ name }) => exactText(name));
}

/** The name of the address's reverse node on chain, at its resolver. */
async function readClaimed(address: Address): Promise<string | null> {
  const { chain } = stage;
  const node = reverseNode(address);
  const at = await read<Address>(chain, { contract: "registry", functionName: "resolver", args: [node] });
  if (at === zeroAddress) return null;
  const contract = Object.entries(chain.contracts).find(
    ([, { address }]) => lower(address) === lower(at),
  )?.[0];
  return (
    (await read<string>(chain, { contract: contract ?? "", functionName: "name", args: [node] })) || null
  );
}

/** Expects the claim for Ethereum's coin type to match the chain, and returns it. */
async function expectClaimAsOnChain(address: Address): Promise<Claim | undefined> {
  const claim = (await listClaims(address)).find(({ coin_type }) => coin_type === "60");
  expect(claim?.name ?? null).toBe(await readClaimed(address));
  return claim;
}

const reverseName = (address: Address) => `${address.slice(2).toLowerCase()}.addr.reverse`;

describe("an address takes a name at the reverse registrar of 2023", () => {
  test("and the reverse node gets its name from the address", async () => {
    const { chain, cast } = stage;
    const receipt = await setReverseName(chain, { from: cast.alice, name: "alice.eth" });
    expect(await expectClaimAsOnChain(cast.alice)).toEqual({
      coin_type: "60",
      name: "alice.eth",
      is_name_known: true,
      registrar: "REVERSE_REGISTRAR",
    });
    const answer = await expectWhoisAsOnChain(stage, reverseName(cast.alice));
    expect(answer.name).toBe(reverseName(cast.alice));
    const events = eventsOf(await stage.events(reverseName(cast.alice)), receipt);
    expect(namesOf(events)).toEqual([
      "REVERSE_REGISTRAR ReverseClaimed",
      "REGISTRY NewOwner",
      "REGISTRY NewResolver",
      "RESOLVER NameChanged",
    ]);
    expect(events[0]?.address).toBe(cast.alice);
    expect(events.at(-1)?.name).toBe("alice.eth");
  });

  test("and changes it, repeats it and clears it", async () => {
    const { chain, cast } = stage;
    for (const name of ["other.eth", "other.eth", ""]) {
      await setReverseName(chain, { from: cast.alice, name });
      await expectClaimAsOnChain(cast.alice);
    }
    expect(await listHistory(cast.alice)).toContainEqual(null);
    const names = (await listHistory(cast.alice)).filter((name) => name !== "before.eth");
    expect(names).toEqual(["alice.eth", "other.eth", "other.eth", null]);
  });

  test("at a resolver of its choice, whose record counts", async () => {
    const { chain, cast } = stage;
    const [owner, resolver, node] = [cast.bob, "resolver5", reverseNode(cast.bob)];
    await claimReverseWithResolver(chain, { from: owner, owner, resolver: addressOf(chain, resolver) });
    expect(await expectClaimAsOnChain(owner)).toBeUndefined();
    await writeRecord(chain, { from: owner, resolver, node, write: { kind: "name", name: "bob.eth" } });
    expect((await expectClaimAsOnChain(owner))?.name).toBe("bob.eth");
    await clearRecords(chain, { from: owner, resolver, node });
    expect((await expectClaimAsOnChain(owner))?.name).toBeNull();
  });

  test("and moves to a resolver where it has a name, and to none", async () => {
    const { chain, cast } = stage;
    const node = reverseNode(cast.bob);
    const act = { from: cast.bob, node };
    await writeRecord(chain, { ...act, resolver: "resolver4", write: { kind: "name", name: "bobby.eth" } });
    expect((await expectClaimAsOnChain(cast.bob))?.name).toBeNull();
    await setResolver(chain, { ...act, resolver: addressOf(chain, "resolver4") });
    expect((await expectClaimAsOnChain(cast.bob))?.name).toBe("bobby.eth");
    await setResolver(chain, { ...act, resolver: zeroAddress });
    expect((await expectClaimAsOnChain(cast.bob))?.name).toBeNull();
  });

  test("that is not a valid name, and the claim counts all the same", async () => {
    const { chain, cast } = stage;
    await setReverseName(chain, { from: cast.frank, name: "Not Normal.eth" });
    expect((await expectClaimAsOnChain(cast.frank))?.name).toBe("Not Normal.eth");
    await setReverseName(chain, { from: cast.frank, name: "nul\0.eth" });
    expect((await expectClaimAsOnChain(cast.frank))?.name).toBe("nul\0.eth");
  });

  test("through an operator", async () => {
    const { chain, cast } = stage;
    const controller = { contract: "reverseRegistrar3", functionName: "setController" };
    await send(chain, { from: cast.deployer, ...controller, args: [cast.dave, true] });
    const resolver = addressOf(chain, "resolver4");
    const act = { from: cast.dave, addr: cast.erin, owner: cast.dave, resolver, name: "erin.eth" };
    await setReverseNameForAddr(chain, act);
    expect((await expectClaimAsOnChain(cast.erin))?.name).toBe("erin.eth");
  });
});

describe("an address takes a name at a silent reverse registrar", () => {
  beforeAll(() =>
    useReverseRegistrar(stage.chain, { from: stage.cast.deployer, registrar: "reverseRegistrar2" }),
  );
  const registrar = "reverseRegistrar2";

  test("whose resolver emits nothing: the name is read, and is not certain", async () => {
    const { chain, cast } = stage;
    await setReverseName(chain, { from: cast.carol, name: "carol.eth", registrar });
    expect(await expectClaimAsOnChain(cast.carol)).toEqual({
      coin_type: "60",
      name: "carol.eth",
      is_name_known: false,
      registrar: "REVERSE_REGISTRAR",
    });
    expect((await expectWhoisAsOnChain(stage, reverseName(cast.carol))).name).toBe(reverseName(cast.carol));
  });

  test("and changes it, without a log", async () => {
    const { chain, cast } = stage;
    const receipt = await setReverseName(chain, { from: cast.carol, name: "caroline.eth", registrar });
    expect(receipt.logs).toEqual([]);
    expect(await readClaimed(cast.carol)).toBe("caroline.eth");
    expect((await listClaims(cast.carol))[0]).toMatchObject({ name: "carol.eth", is_name_known: false });
  });

  test("for a contract whose address is in no log, until it claims again in 2023", async () => {
    const { chain, cast } = stage;
    const contract = addressOf(chain, "multicall3");
    const args = [cast.bob, addressOf(chain, "resolver4")];
    const claim = { from: contract, functionName: "claimWithResolver", args };
    await sendThroughMulticall(chain, { from: cast.bob, calls: [{ ...claim, contract: registrar }] });
    await writeRecord(chain, {
      from: cast.bob,
      resolver: "resolver4",
      node: reverseNode(contract),
      write: { kind: "name", name: "multicall.eth" },
    });
    const hidden = await expectWhoisAsOnChain(stage, reverseName(contract));
    expect(hidden.label).toBe(spelled(contract.slice(2).toLowerCase()));
    expect(await listClaims(contract)).toEqual([]);
    await useReverseRegistrar(chain, { from: cast.deployer, registrar: "reverseRegistrar3" });
    const again = { ...claim, contract: "reverseRegistrar3" };
    await sendThroughMulticall(chain, { from: cast.bob, calls: [again] });
    expect((await expectClaimAsOnChain(contract))?.name).toBe("multicall.eth");
    expect((await expectWhoisAsOnChain(stage, reverseName(contract))).name).toBe(reverseName(contract));
  });

  test("and moves on to the reverse registrar of 2023", async () => {
    const { chain, cast } = stage;
    await setReverseName(chain, { from: cast.carol, name: "carol.eth" });
    expect(await expectClaimAsOnChain(cast.carol)).toMatchObject({ name: "carol.eth", is_name_known: true });
    await claimReverse(chain, { from: cast.carol, owner: cast.alice });
    expect((await expectWhoisAsOnChain(stage, reverseName(cast.carol))).ownership.owner).toBe(cast.alice);
  });
});

describe("an address takes a name for every chain", () => {
  test("and clears it", async () => {
    const { chain, cast } = stage;
    const claimOf = async () => {
      const claim = (await listClaims(cast.dave)).find(({ coin_type }) => coin_type === "2147483648");
      const args = [cast.dave];
      const contract = "defaultReverseRegistrar";
      const name = await read<string>(chain, { contract, functionName: "nameForAddr", args });
      expect(claim?.name ?? "").toBe(name);
      return claim;
    };
    await setDefaultName(chain, { from: cast.dave, name: "dave.eth" });
    expect(await claimOf()).toMatchObject({ name: "dave.eth", registrar: "DEFAULT_REVERSE_REGISTRAR" });
    await setDefaultName(chain, { from: cast.dave, name: "" });
    expect((await claimOf())?.name).toBeNull();
    expect(await listHistory(cast.dave)).toEqual(["dave.eth", null]);
  });
});

describe("an address takes a name on a layer 2", () => {
  /** The API waits for the head of the main chain, and not for this one's. */
  const SOON = { timeout: 60_000 };
  const claimOn = async (address: Address, chainId: number) =>
    (await listClaims(address)).find(({ coin_type }) => Number(coin_type) === DEFAULT_COIN_TYPE + chainId);

  test("before Namedex was started, with its chain's coin type", async () => {
    await expect
      .poll(() => claimOn(stage.cast.alice, LAYER_2), SOON)
      .toMatchObject({ name: "before.eth", registrar: "L2_REVERSE_REGISTRAR" });
  });

  test("while Namedex runs", async () => {
    await setLayer2Name(layer2.chain, { from: stage.cast.bob, name: "bob.eth" });
    await expect.poll(() => claimOn(stage.cast.bob, LAYER_2), SOON).toMatchObject({ name: "bob.eth" });
    const [event] = await stage.sql(
      "select contract, chain_id from events where chain_id = $1 and name = $2",
      [LAYER_2, "bob.eth"],
    );
    expect(event).toEqual({ contract: "L2_REVERSE_REGISTRAR", chain_id: LAYER_2 });
  });

  test("that differs from the one on the main chain", async () => {
    const { chain, cast } = stage;
    await setLayer2Name(chain, { from: cast.bob, name: "main.eth" });
    expect((await claimOn(cast.bob, 31_337))?.name).toBe("main.eth");
    expect((await claimOn(cast.bob, LAYER_2))?.name).toBe("bob.eth");
  });
});

test("the event log holds every log of the main chain's contracts exactly once", () =>
  expectEveryLogOnce(stage));
