import {
  type Abi,
  type AbiEvent,
  type Address,
  decodeEventLog,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  isAddressEqual,
  parseAbi,
  type TransactionReceipt,
  toEventSelector,
  zeroAddress,
} from "viem";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { deploymentShape } from "../../abis/deployments.ts";
import {
  ensv2FactoryAbi,
  ensv2LabelStoreAbi,
  ensv2RegistrarAbi,
  ensv2RegistryAbi,
  ensv2ResolverAbi,
  upgradedAbi,
} from "../../abis/ensv2.ts";
import {
  addressOf,
  allowReservations,
  approveOperator,
  attempt,
  BONUS_V2,
  buyName,
  type Chain,
  changeToEnsv2,
  clearInGraveyard,
  DAY,
  deployResolver,
  deployUserRegistry,
  dnsEncode,
  encodeResolverWrite,
  ethNode,
  FUSES,
  freezeV1,
  fundForEnsv2,
  GRACE_V2,
  grantRoles,
  handOverV1,
  hashLabel,
  latestTime,
  migrateLocked,
  migrateSubname,
  migrateUnwrapped,
  migrateWrapped,
  migrateWrappedBatch,
  nodeBelow,
  openEnsv2,
  PREMIUM,
  ROLES,
  ROLES_OF_AN_OWNER,
  read,
  readEntry,
  readNamePrice,
  registerEntry,
  registerReferred,
  registerWrapped,
  renewEntry,
  renewName,
  renewNames,
  renewReferred,
  reserveNames,
  revertTo,
  revokeRoles,
  setChildFuses,
  setEntryResolver,
  setFuses,
  setNextTime,
  setParent,
  setSubregistry,
  setText,
  setWrappedSubnodeOwner,
  switchToEnsv2,
  takeSnapshot,
  tokenIdOf,
  transferEntries,
  transferEntry,
  transferEntryUnsafely,
  unregisterEntry,
  upgradeProxy,
  warpTo,
  writeAllToResolver,
  writeToResolver,
  YEAR,
} from "../../devnet/acts.ts";
import type { Anvil } from "../../devnet/anvil.ts";
import { startLocalChain } from "../../devnet/localChain.ts";
import { START } from "./chain.ts";

let chain: Chain & { anvil: Anvil };
let root: Address;
let ann: Address;
let bob: Address;
let carol: Address;
let deployment: unknown;

beforeAll(async () => {
  const local = await startLocalChain({ timestamp: START, contracts: { ensv2: true } });
  chain = { ...local.chain, anvil: local.anvil };
  deployment = local.deployment;
  [root, ann, bob, carol] = chain.accounts as [Address, Address, Address, Address];
  for (const account of [ann, bob]) await fundForEnsv2(chain, { account });
});
afterAll(() => chain?.anvil.stop());

let snapshot: Hex;
let known: Chain["contracts"];
beforeEach(async () => {
  snapshot = await takeSnapshot(chain);
  known = { ...chain.contracts };
});
afterEach(async () => {
  await revertTo(chain, { snapshot });
  chain.contracts = known;
});

const eventsOf = (abi: Abi): AbiEvent[] => abi.flatMap((item) => (item.type === "event" ? [item] : []));

/** `contract Event` of each log by the doubles' own ABIs, and for a token whether it was minted or burnt. */
function wordsOf({ logs }: TransactionReceipt): string[] {
  return logs.map(({ address, topics, data }) => {
    const found = Object.entries(chain.contracts).find(([, one]) => isAddressEqual(one.address, address));
    const abi = found?.[1].abi ?? [];
    const event = eventsOf(abi).find((one) => toEventSelector(one) === topics[0]);
    if (event === undefined) return `${found?.[0]} ?`;
    const { args } = decodeEventLog({ abi: [event], topics, data });
    return `${found?.[0]} ${event.name}${tokenMove(args as unknown as Record<string, unknown>)}`;
  });
}

function tokenMove({ from, to }: Record<string, unknown> = {}): string {
  if (from === zeroAddress) return " mint";
  return to === zeroAddress ? " burn" : "";
}

/** What the only log of that name says. */
function argsOf({ logs }: TransactionReceipt, eventName: string): Record<string, unknown> {
  const found = logs.flatMap(({ address, topics, data }) => {
    const one = Object.values(chain.contracts).find((contract) => isAddressEqual(contract.address, address));
    const event = eventsOf(one?.abi ?? []).find((item) => toEventSelector(item) === topics[0]);
    return event?.name === eventName ? [decodeEventLog({ abi: [event], topics, data }).args] : [];
  });
  expect(found).toHaveLength(1);
  return found[0] as unknown as Record<string, unknown>;
}

const open = () => changeToEnsv2(chain, { from: root });

const atLabel = <Result>(functionName: string, label: string, registry = "ethRegistry") =>
  read<Result>(chain, { contract: registry, functionName, args: [label] });

/** The token number of an entry as its token counter. */
const counterOf = (id: bigint): bigint => id & 0xffffffffn;

const bought = ["usdc Transfer", "labelStore Label", "ethRegistry LabelRegistered"];
const given = ["ethRegistry TransferSingle mint", "ethRegistry TokenResource", "ethRegistry EACRolesChanged"];

describe("the double of ENSv2", () => {
  it("gives a valid deployment", () => {
    expect(deploymentShape.parse(deployment)).toMatchObject({
      ensv2: { graceSeconds: 2_419_200, bonusSeconds: 5_356_800 },
      universalResolver: addressOf(chain, "topProxy"),
    });
  });

  it.each([
    ["ethRegistry", ensv2RegistryAbi, []],
    ["userRegistryCode", ensv2RegistryAbi, ["Initialized"]],
    ["wrapperRegistryCode", ensv2RegistryAbi, ["Initialized"]],
    ["ethRegistrar", ensv2RegistrarAbi, ["CommitmentMade", "OwnershipTransferred", "RentPriceOracleUpdated"]],
    ["renewerV1", ensv2RegistrarAbi, ["OwnershipTransferred", "RentPriceOracleUpdated"]],
    ["factory", ensv2FactoryAbi, []],
    ["labelStore", ensv2LabelStoreAbi, []],
    ["topProxy", upgradedAbi, ["AdminChanged"]],
    ["resolverCode", [...ensv2ResolverAbi, ...ensv2RegistryAbi], ["Initialized"]],
  ] as const)("has the events of %s as the index decodes them", (contract, expected, others) => {
    const own = eventsOf(chain.contracts[contract]?.abi ?? []);
    const flat = ({ name, inputs }: AbiEvent) =>
      `${name}(${inputs.map(({ type, indexed, name: input }) => `${type}${indexed ? " indexed" : ""} ${input}`)})`;
    const wanted = eventsOf(expected).map(flat);
    const strange = own.filter((event) => !wanted.includes(flat(event))).map(({ name }) => name);
    expect(strange.sort()).toEqual([...others].sort());
  });

  it("logs a registration in the order of the published one", async () => {
    await open();
    const subregistry = carol;
    const first = await buyName(chain, { from: ann, label: "first" });
    expect(wordsOf(first)).toEqual([...bought, ...given, "ethRegistrar NameRegistered"]);
    const full = await buyName(chain, {
      from: ann,
      label: "fullest",
      subregistry,
      resolver: bob,
      token: "dai",
    });
    expect(wordsOf(full)).toEqual([
      "dai Transfer",
      ...bought.slice(1),
      ...given,
      "ethRegistry SubregistryUpdated",
      "ethRegistry ResolverUpdated",
      "ethRegistrar NameRegistered",
    ]);
    const { expiry } = await readEntry(chain, { label: "fullest" });
    expect(expiry).toBe((await latestTime(chain)) + YEAR);
    expect(argsOf(full, "EACRolesChanged")).toMatchObject({ account: ann, newRoleBitmap: ROLES_OF_AN_OWNER });
    // 8 USD a year, in units of 18 decimals.
    expect(argsOf(full, "NameRegistered")).toMatchObject({ base: 253_678_335_870n * YEAR, premium: 0n });
    expect(argsOf(first, "NameRegistered")).toMatchObject({
      base: 8_000_000n,
      paymentToken: addressOf(chain, "usdc"),
    });
  });

  it("regenerates a token when its roles change, and keeps the number of its roles", async () => {
    await open();
    await buyName(chain, { from: ann, label: "regenerated" });
    const before = await readEntry(chain, { label: "regenerated" });
    const regeneration = [
      "ethRegistry EACRolesChanged",
      "ethRegistry TransferSingle burn",
      "ethRegistry TokenRegenerated",
      "ethRegistry TransferSingle mint",
    ];
    const act = { from: ann, label: "regenerated", roles: ROLES.setResolver, account: bob };
    expect(wordsOf(await grantRoles(chain, act))).toEqual(regeneration);
    expect(wordsOf(await grantRoles(chain, act))).toEqual([]);
    const after = await readEntry(chain, { label: "regenerated" });
    expect(after).toEqual({ ...before, tokenId: before.tokenId + 1n });
    expect(
      await read(chain, { contract: "ethRegistry", functionName: "ownerOf", args: [before.tokenId] }),
    ).toBe(zeroAddress);
    await setEntryResolver(chain, { from: bob, label: "regenerated", resolver: carol });
    // Another account has roles for it now: no plain transfer.
    const refused = await attempt(() => transferEntry(chain, { from: ann, label: "regenerated", to: carol }));
    expect(refused).toMatchObject({
      outcome: "reverted",
      reason: expect.stringMatching(/^TransferDisallowed/),
    });
    expect(wordsOf(await revokeRoles(chain, act))).toEqual(regeneration);
    expect(counterOf((await readEntry(chain, { label: "regenerated" })).tokenId)).toBe(2n);
  });

  it("moves the roles with the token, and announces transfers of nothing", async () => {
    await open();
    for (const label of ["moved", "kept"]) await buyName(chain, { from: ann, label });
    const moved = await transferEntry(chain, { from: ann, label: "moved", to: bob });
    const handOver = ["ethRegistry EACRolesChanged", "ethRegistry EACRolesChanged"];
    expect(wordsOf(moved)).toEqual(["ethRegistry TransferSingle", ...handOver]);
    expect(await atLabel("findOwner", "moved")).toBe(bob);
    const nothing = await transferEntry(chain, { from: ann, label: "kept", to: bob, value: 0n });
    expect(wordsOf(nothing)).toEqual(["ethRegistry TransferSingle"]);
    expect(await atLabel("findOwner", "kept")).toBe(ann);
    await buyName(chain, { from: ann, label: "third" });
    const mixed = await transferEntries(chain, {
      from: ann,
      to: bob,
      entries: [{ label: "kept", value: 0n }, { label: "third" }],
    });
    expect(wordsOf(mixed)).toEqual(["ethRegistry TransferBatch", ...handOver]);
    expect(await Promise.all(["kept", "third"].map((label) => atLabel("findOwner", label)))).toEqual([
      ann,
      bob,
    ]);
  });

  it("lets an operator act with the holder's roles", async () => {
    await open();
    await buyName(chain, { from: ann, label: "operated" });
    await approveOperator(chain, { from: ann, operator: carol });
    await setEntryResolver(chain, { from: carol, label: "operated", resolver: bob });
    expect(await atLabel("getResolver", "operated")).toBe(bob);
    const stranger = await attempt(() =>
      setEntryResolver(chain, { from: bob, label: "operated", resolver: bob }),
    );
    expect(stranger).toMatchObject({ outcome: "reverted" });
  });

  it("hides an expired entry to the second, and shows it again after a renewal in grace", async () => {
    await open();
    await buyName(chain, { from: ann, label: "lapsing", resolver: bob, duration: 28n * DAY });
    const { expiry, tokenId, resource } = await readEntry(chain, { label: "lapsing" });
    await warpTo(chain, { timestamp: expiry - 1n });
    expect(await atLabel("getResolver", "lapsing")).toBe(bob);
    await warpTo(chain, { timestamp: expiry });
    expect(await atLabel("getResolver", "lapsing")).toBe(zeroAddress);
    // Still the last holder's, whose roles count no more.
    const lapsed = { status: 0, expiry, latestOwner: ann, tokenId, resource: resource + 1n };
    expect(await readEntry(chain, { label: "lapsing" })).toEqual(lapsed);
    expect(await attempt(() => transferEntry(chain, { from: ann, label: "lapsing", to: bob }))).toMatchObject(
      {
        outcome: "reverted",
      },
    );
    await warpTo(chain, { timestamp: expiry + 10n * DAY });
    const short = await renewName(chain, { from: bob, label: "lapsing", duration: DAY });
    expect(wordsOf(short)).toEqual([
      "ethRegistry ExpiryUpdated",
      "ethRegistrar NameRenewed",
      "usdc Transfer",
    ]);
    expect(await readEntry(chain, { label: "lapsing" })).toEqual({ ...lapsed, expiry: expiry + DAY });
    await renewName(chain, { from: bob, label: "lapsing", duration: YEAR });
    expect(await atLabel("getResolver", "lapsing")).toBe(bob);
    expect(await readEntry(chain, { label: "lapsing" })).toMatchObject({
      status: 2,
      latestOwner: ann,
      tokenId,
    });
  });

  it("sells an ended name after 28 days, for a premium of 21 days", async () => {
    await open();
    await buyName(chain, { from: ann, label: "ended", duration: 28n * DAY });
    const { expiry, tokenId, resource } = await readEntry(chain, { label: "ended" });
    const available = () => atLabel<boolean>("isAvailable", "ended", "ethRegistrar");
    const at = async (timestamp: bigint) => {
      await warpTo(chain, { timestamp });
      return available();
    };
    expect(await at(expiry + GRACE_V2 - 1n)).toBe(false);
    expect(await at(expiry + GRACE_V2)).toBe(true);
    const { premium } = await readNamePrice(chain, { label: "ended" });
    expect(premium).toBe(10n ** 14n - 47_683_715n);
    await warpTo(chain, { timestamp: expiry + GRACE_V2 + PREMIUM - 1n });
    expect((await readNamePrice(chain, { label: "ended" })).premium).toBeGreaterThan(0n);
    await warpTo(chain, { timestamp: expiry + GRACE_V2 + PREMIUM });
    expect((await readNamePrice(chain, { label: "ended" })).premium).toBe(0n);
    const again = await buyName(chain, { from: bob, label: "ended" });
    expect(wordsOf(again)).toEqual([
      "usdc Transfer",
      "ethRegistry TransferSingle burn",
      "ethRegistry LabelRegistered",
      ...given,
      "ethRegistrar NameRegistered",
    ]);
    const next = { tokenId: tokenId + 1n, resource: resource + 1n, latestOwner: bob };
    expect(await readEntry(chain, { label: "ended" })).toMatchObject(next);
  });

  it("renews several names for one payment", async () => {
    await open();
    for (const label of ["one", "two"]) await buyName(chain, { from: ann, label });
    const renewal = ["ethRegistry ExpiryUpdated", "ethRegistrar NameRenewed"];
    const both = await renewNames(chain, { from: ann, labels: ["one", "two"] });
    expect(wordsOf(both)).toEqual([...renewal, ...renewal, "usdc Transfer"]);
  });

  it("unregisters, and takes a name back into use", async () => {
    const owner = { from: root, label: "given-up", owner: ann, roles: ROLES_OF_AN_OWNER | ROLES.unregister };
    await registerEntry(chain, { ...owner, resolver: bob });
    await fundForEnsv2(chain, { account: root });
    const ended = await unregisterEntry(chain, { from: ann, label: "given-up" });
    expect(wordsOf(ended)).toEqual(["ethRegistry LabelUnregistered", "ethRegistry TransferSingle burn"]);
    const time = await latestTime(chain);
    const state = await readEntry(chain, { label: "given-up" });
    expect(state).toMatchObject({ status: 0, expiry: time, latestOwner: zeroAddress });
    expect(await atLabel("isAvailable", "given-up", "ethRegistrar")).toBe(false);
    expect(await atLabel("isRenewable", "given-up", "ethRegistrar")).toBe(false);
    // An account that may renew every name brings it back, without a holder: that is a reservation.
    await renewEntry(chain, { from: root, label: "given-up", expiry: time + YEAR });
    expect(await readEntry(chain, { label: "given-up" })).toMatchObject({
      status: 1,
      latestOwner: zeroAddress,
    });
    expect(await atLabel("getResolver", "given-up")).toBe(bob);
    const again = await registerEntry(chain, { ...owner, resolver: zeroAddress });
    expect(wordsOf(again)).toEqual(["ethRegistry LabelRegistered", ...given]);
    expect(await atLabel("getResolver", "given-up")).toBe(zeroAddress);
    expect(argsOf(again, "EACRolesChanged")).toMatchObject({
      newRoleBitmap: ROLES_OF_AN_OWNER | ROLES.unregister | ROLES.wasReserved,
    });
  });
});

describe("reservations", () => {
  const reserved = ["labelStore Label", "ethRegistry LabelReserved", "ethRegistry ResolverUpdated"];

  it("follow ENSv1's expiry, and may lie in the past", async () => {
    await allowReservations(chain, { from: root });
    for (const label of ["alpha", "beta"]) await registerReferred(chain, { from: ann, label });
    const past = (await latestTime(chain)) - DAY;
    const names = [{ label: "alpha" }, { label: "beta", expiry: past }];
    const batch = await reserveNames(chain, { from: root, names });
    expect(wordsOf(batch)).toEqual([...reserved, ...reserved]);
    const v1 = await read<bigint>(chain, {
      contract: "registrar",
      functionName: "nameExpires",
      args: [tokenIdOf("alpha")],
    });
    expect(await readEntry(chain, { label: "alpha" })).toMatchObject({ status: 1, expiry: v1 + BONUS_V2 });
    expect(await readEntry(chain, { label: "beta" })).toMatchObject({ status: 0, expiry: past });
    // A reservation that lapsed is made again; one that lives only gets longer.
    const later = names.map(({ label }) => ({ label, expiry: v1 + 2n * BONUS_V2 }));
    expect(wordsOf(await reserveNames(chain, { from: root, names: later }))).toEqual([
      "ethRegistry ExpiryUpdated",
      "ethRegistry LabelReserved",
      "ethRegistry ResolverUpdated",
    ]);
    expect(wordsOf(await reserveNames(chain, { from: root, names }))).toEqual([]);
  });

  it("are renewed in both systems at once", async () => {
    await registerWrapped(chain, { from: ann, label: "wrapped-one" });
    await registerReferred(chain, { from: ann, label: "plain-one" });
    const names = ["wrapped-one", "plain-one"].map((label) => ({ label }));
    await changeToEnsv2(chain, { from: root, names });
    const labels = names.map(({ label }) => label);
    const renewed = await renewNames(chain, { from: bob, labels, registrar: "renewerV1" });
    const each = ["ethRegistry ExpiryUpdated", "registrar NameRenewed", "renewerV1 NameRenewed"];
    const echo = ["registrar NameRenewed", "controller4 NameRenewed"];
    expect(wordsOf(renewed)).toEqual([
      ...each,
      ...each,
      "usdc Transfer",
      "registrar ControllerAdded",
      ...echo,
      ...echo,
      "registrar ControllerRemoved",
    ]);
    for (const label of labels) {
      const v1 = await read<bigint>(chain, {
        contract: "registrar",
        functionName: "nameExpires",
        args: [tokenIdOf(label)],
      });
      expect((await readEntry(chain, { label })).expiry).toBe(v1 + BONUS_V2);
    }
  });
});

describe("proxies", () => {
  const ofRegistry = ["RegistryCreated", "EACRolesChanged", "URIUpdated", "Initialized"];

  it("log before their factory does", async () => {
    const registry = await deployUserRegistry(chain, { from: ann, name: "mine" });
    const own = ["Upgraded", ...ofRegistry].map((event) => `mine ${event}`);
    expect(wordsOf(registry)).toEqual([...own, "factory ProxyDeployed"]);
    const write = { kind: "text", key: "url", value: "https://ann.example" } as const;
    const calls = [encodeResolverWrite(chain, { name: ["ann", "eth"], write })];
    const resolver = await deployResolver(chain, { from: ann, name: "records", calls });
    const words = ["Upgraded", "ResolverCreated", "EACRolesChanged", "Linked", "TextUpdated", "Initialized"];
    expect(wordsOf(resolver)).toEqual([...words.map((word) => `records ${word}`), "factory ProxyDeployed"]);
    const verified = (name: string) =>
      read(chain, { contract: "factory", functionName: "verifyContract", args: [addressOf(chain, name)] });
    expect(await verified("mine")).toBe(addressOf(chain, "userRegistryCode"));
    await expect(verified("registry")).rejects.toThrow("VerificationFailed");
    const code = addressOf(chain, "resolverCode");
    expect(wordsOf(await upgradeProxy(chain, { from: ann, proxy: "mine", code }))).toEqual(["mine Upgraded"]);
    expect(await verified("mine")).toBe(code);
  });

  it("hold subnames, which others than their holder may take unless the registry is emancipated", async () => {
    await deployUserRegistry(chain, { from: ann, name: "mine" });
    await registerEntry(chain, { from: ann, label: "sub", registry: "mine", owner: bob });
    const act = { from: bob, label: "sub", registry: "mine", to: carol };
    expect(await attempt(() => transferEntry(chain, act))).toMatchObject({ outcome: "reverted" });
    expect(wordsOf(await transferEntryUnsafely(chain, act))).toEqual([
      "mine TransferSingle",
      "mine EACRolesChanged",
      "mine EACRolesChanged",
    ]);
    expect(wordsOf(await setSubregistry(chain, { ...act, from: ann, subregistry: bob }))).toEqual([
      "mine SubregistryUpdated",
    ]);
  });
});

describe("the change from ENSv1 to ENSv2", () => {
  const mayDo = async (act: () => Promise<unknown>): Promise<boolean> => {
    const before = await takeSnapshot(chain);
    const { outcome } = await attempt(act);
    await revertTo(chain, { snapshot: before });
    return outcome === "mined";
  };

  /** What people can do now, in words. */
  async function possible(): Promise<string[]> {
    const acts = {
      "register in ENSv1": () => registerReferred(chain, { from: bob, label: "newcomer" }),
      "renew in ENSv1": () => renewReferred(chain, { from: bob, label: "taken" }),
      "renew a reservation": () => renewName(chain, { from: bob, label: "taken", registrar: "renewerV1" }),
      reserve: () => reserveNames(chain, { from: root, names: [{ label: "later", expiry: 2n ** 32n }] }),
      migrate: () => migrateUnwrapped(chain, { from: ann, label: "taken" }),
      "register in ENSv2": () => buyName(chain, { from: bob, label: "newcomer" }),
    };
    const found: string[] = [];
    for (const [word, act] of Object.entries(acts)) if (await mayDo(act)) found.push(word);
    return found;
  }

  it("lets people do other things in each of its phases", async () => {
    await registerReferred(chain, { from: ann, label: "taken" });
    const v1 = ["register in ENSv1", "renew in ENSv1"];
    expect(await possible()).toEqual(v1);
    await allowReservations(chain, { from: root });
    await reserveNames(chain, { from: root, names: [{ label: "taken" }] });
    expect(await possible()).toEqual([...v1, "reserve"]);
    await freezeV1(chain, { from: root });
    expect(await possible()).toEqual(["reserve"]);
    await handOverV1(chain, { from: root });
    expect(await possible()).toEqual(["renew a reservation", "reserve"]);
    await openEnsv2(chain, { from: root });
    const v2 = ["renew a reservation", "migrate", "register in ENSv2"];
    expect(await possible()).toEqual(v2);
    expect(wordsOf(await switchToEnsv2(chain, { from: root }))).toEqual(["topProxy Upgraded"]);
    expect(await possible()).toEqual(v2);
  });
});

const resolverAbi = parseAbi([
  "function resolve(bytes name, bytes data) view returns (bytes)",
  "function addr(bytes32 node) view returns (address)",
  "function addr(bytes32 node, uint256 coinType) view returns (bytes)",
  "function text(bytes32 node, string key) view returns (string)",
]);

async function resolveText(resolver: string, name: string[], key: string): Promise<string> {
  const data = encodeFunctionData({ abi: resolverAbi, functionName: "text", args: [hashLabel("any"), key] });
  const address = addressOf(chain, resolver);
  const args = [dnsEncode(name), data] as const;
  const answer = await chain.client.readContract({
    address,
    abi: resolverAbi,
    functionName: "resolve",
    args,
  });
  return decodeFunctionResult({ abi: resolverAbi, functionName: "text", data: answer });
}

describe("the resolver of ENSv2", () => {
  it("links names to numbers of records, and the root's to every name without a link", async () => {
    await deployResolver(chain, { from: ann, name: "records" });
    const say = (name: string[], value: string) =>
      writeToResolver(chain, {
        from: ann,
        resolver: "records",
        name,
        write: { kind: "text", key: "url", value },
      });
    expect(wordsOf(await say(["a", "eth"], "first"))).toEqual(["records Linked", "records TextUpdated"]);
    expect(wordsOf(await say(["a", "eth"], "again"))).toEqual(["records TextUpdated"]);
    const link = { kind: "link", node: ethNode("a") } as const;
    await writeToResolver(chain, { from: ann, resolver: "records", name: ["b", "eth"], write: link });
    expect(await resolveText("records", ["b", "eth"], "url")).toBe("again");
    expect(await resolveText("records", ["c", "eth"], "url")).toBe("");
    await say([], "default");
    expect(await resolveText("records", ["c", "eth"], "url")).toBe("default");
    const unlink = { kind: "linkToRecord", recordId: 0n } as const;
    const gone = await writeToResolver(chain, {
      from: ann,
      resolver: "records",
      name: ["b", "eth"],
      write: unlink,
    });
    expect(argsOf(gone, "Linked")).toEqual({
      recordId: 0n,
      node: ethNode("b"),
      name: dnsEncode(["b", "eth"]),
    });
    expect(await resolveText("records", ["b", "eth"], "url")).toBe("default");
    const unknown = { kind: "linkToRecord", recordId: 9n } as const;
    const refused = await attempt(() =>
      writeToResolver(chain, { from: ann, resolver: "records", name: ["b", "eth"], write: unknown }),
    );
    expect(refused).toEqual({ outcome: "reverted", reason: "InvalidRecord()" });
  });

  it("falls back to the default coin type for EVM chains", async () => {
    await deployResolver(chain, { from: ann, name: "records" });
    const writes = [
      { name: ["a", "eth"], write: { kind: "address", coinType: 0x80000000n, bytes: bob } as const },
      { name: ["a", "eth"], write: { kind: "address", coinType: 0n, bytes: "0x1234" } as const },
    ];
    await writeAllToResolver(chain, { from: ann, resolver: "records", writes });
    const ask = async (coinType: bigint) => {
      const args = [ethNode("a"), coinType] as const;
      const data = encodeFunctionData({ abi: resolverAbi, functionName: "addr", args });
      const answer = await chain.client.readContract({
        address: addressOf(chain, "records"),
        abi: resolverAbi,
        functionName: "resolve",
        args: [dnsEncode(["a", "eth"]), data],
      });
      return BigInt(answer) === 0n ? "0x" : answer.slice(-64).replace(/0+$/, "");
    };
    expect(await ask(60n)).toBe(bob.slice(2).toLowerCase().replace(/0+$/, ""));
    expect(await ask(0x80000000n + 8453n)).toBe(bob.slice(2).toLowerCase().replace(/0+$/, ""));
    expect(await ask(0n)).toBe("1234");
  });
});

describe("a walk from the root", () => {
  const resolverOf = async (name: string[]) => {
    const answer = await read<readonly [Address, Hex, bigint]>(chain, {
      contract: "universalResolverV2",
      functionName: "findResolver",
      args: [dnsEncode(name)],
    });
    return [answer[0], Number(answer[2])];
  };
  const exactOwner = (name: string[]) =>
    read(chain, { contract: "universalHelper", functionName: "findExactOwner", args: [dnsEncode(name)] });
  const canonicalName = (registry: string) =>
    read(chain, {
      contract: "universalHelper",
      functionName: "findCanonicalName",
      args: [addressOf(chain, registry)],
    });

  it("finds a registry under two parents, of which one is its own", async () => {
    await open();
    await deployUserRegistry(chain, { from: ann, name: "shared" });
    const subregistry = addressOf(chain, "shared");
    for (const label of ["left", "right"]) await buyName(chain, { from: ann, label, subregistry });
    await registerEntry(chain, { from: ann, registry: "shared", label: "sub", owner: bob, resolver: carol });
    for (const label of ["left", "right"]) {
      expect(await exactOwner(["sub", label, "eth"])).toBe(bob);
      expect(await resolverOf(["deep", "sub", label, "eth"])).toEqual([carol, 5]);
    }
    const parent = addressOf(chain, "ethRegistry");
    expect(await canonicalName("shared")).toBe("0x");
    await setParent(chain, { from: ann, registry: "shared", parent, label: "right" });
    expect(await canonicalName("shared")).toBe(dnsEncode(["right", "eth"]));
  });

  it("ends below an expired parent, and goes through a circle as often as the name says", async () => {
    await open();
    await deployUserRegistry(chain, { from: ann, name: "circle" });
    const subregistry = addressOf(chain, "circle");
    await buyName(chain, { from: ann, label: "short", subregistry, duration: 28n * DAY });
    const { expiry } = await readEntry(chain, { label: "short" });
    await registerEntry(chain, {
      from: ann,
      registry: "circle",
      label: "round",
      subregistry,
      resolver: carol,
      expiry: expiry + YEAR,
    });
    const round = ["round", "round", "round", "short", "eth"];
    expect(await resolverOf(round)).toEqual([carol, 0]);
    await setNextTime(chain, expiry);
    await warpTo(chain, { timestamp: expiry });
    expect(await resolverOf(round)).toEqual([zeroAddress, round.join(".").length + 1]);
  });

  it("answers for ENSv1 where a reservation stands, and the proxies answer for the system in force", async () => {
    const write = { kind: "text", key: "url", value: "https://v1.example" } as const;
    await registerReferred(chain, { from: ann, label: "old", resolver: "resolver5", records: [write] });
    const data = encodeFunctionData({
      abi: resolverAbi,
      functionName: "text",
      args: [ethNode("old"), "url"],
    });
    const resolve = () =>
      chain.client.readContract({
        address: addressOf(chain, "topProxy"),
        abi: chain.contracts.universalResolver?.abi ?? [],
        functionName: "resolveWithGateways",
        args: [dnsEncode(["old", "eth"]), data, []],
      }) as Promise<[Hex, Address]>;
    expect((await resolve())[1]).toBe(addressOf(chain, "resolver5"));
    await changeToEnsv2(chain, { from: root, names: [{ label: "old" }] });
    const [answer, resolver] = await resolve();
    expect(resolver).toBe(addressOf(chain, "ensV1Resolver"));
    expect(decodeFunctionResult({ abi: resolverAbi, functionName: "text", data: answer })).toBe(write.value);
    const { abi } = chain.contracts.universalResolverV2 ?? expect.fail("no resolver");
    const address = addressOf(chain, "topProxy");
    expect(await chain.client.readContract({ address, abi, functionName: "isENSv2" })).toBe(true);
    expect(await chain.client.readContract({ address, abi, functionName: "ROOT_REGISTRY" })).toBe(
      addressOf(chain, "rootRegistry"),
    );
  });
});

describe("migration", () => {
  const resolver = "resolver5";
  const promoted = ["ethRegistry LabelRegistered", ...given];
  const url = { kind: "text", key: "url", value: "https://v1.example" } as const;

  it("of a name that is not wrapped", async () => {
    await registerReferred(chain, { from: ann, label: "plain", resolver, records: [url] });
    await changeToEnsv2(chain, { from: root, names: [{ label: "plain" }] });
    const reserved = await readEntry(chain, { label: "plain" });
    const migrated = await migrateUnwrapped(chain, { from: ann, label: "plain", owner: bob });
    expect(wordsOf(migrated)).toEqual([
      "registrar Transfer",
      "registry NewOwner",
      "registry Transfer",
      "registry NewResolver",
      "registrar Transfer",
      ...promoted,
    ]);
    expect(await readEntry(chain, { label: "plain" })).toEqual({ ...reserved, status: 2, latestOwner: bob });
    expect(await atLabel("getResolver", "plain")).toBe(zeroAddress);
    expect(argsOf(migrated, "LabelRegistered").sender).toBe(addressOf(chain, "unlockedMigration"));
    expect(argsOf(migrated, "EACRolesChanged").newRoleBitmap).toBe(ROLES_OF_AN_OWNER | ROLES.wasReserved);
  });

  it("of wrapped names that are not locked, one or several", async () => {
    const labels = ["soft-1", "soft-2", "soft-3"];
    for (const label of labels) await registerWrapped(chain, { from: ann, label, resolver: "resolver4" });
    await changeToEnsv2(chain, { from: root, names: labels.map((label) => ({ label })) });
    const each = [
      "registry NewResolver",
      "wrapper TransferSingle burn",
      "registry Transfer",
      "wrapper NameUnwrapped",
      "registrar Transfer",
      ...promoted,
    ];
    const one = await migrateWrapped(chain, { from: ann, label: "soft-1" });
    expect(wordsOf(one)).toEqual(["wrapper TransferSingle", ...each]);
    const two = await migrateWrappedBatch(chain, {
      from: ann,
      names: [{ label: "soft-2" }, { label: "soft-3" }],
    });
    expect(wordsOf(two)).toEqual(["wrapper TransferBatch", ...each, ...each]);
  });

  it("of a locked name and its subnames, with the registry that follows them", async () => {
    const fuses = FUSES.CANNOT_UNWRAP;
    await registerWrapped(chain, { from: ann, label: "locked", resolver: "resolver4", fuses });
    const parentNode = ethNode("locked");
    const { expiry } = await readEntry(chain, { label: "locked" });
    expect(expiry).toBe(0n);
    const far = (await latestTime(chain)) + 10n * YEAR;
    for (const label of ["hard", "free", "loose"]) {
      await setWrappedSubnodeOwner(chain, { from: ann, parent: parentNode, label, owner: bob });
    }
    const emancipate = (label: string, more: number) =>
      setChildFuses(chain, {
        from: ann,
        parent: parentNode,
        label,
        expiry: far,
        fuses: FUSES.PARENT_CANNOT_CONTROL | more,
      });
    await emancipate("hard", FUSES.CANNOT_UNWRAP);
    await emancipate("free", 0);
    await setFuses(chain, { from: bob, node: nodeBelowLocked("hard"), fuses: FUSES.CANNOT_SET_RESOLVER });
    await changeToEnsv2(chain, { from: root, names: [{ label: "locked" }] });
    const migrated = await migrateLocked(chain, { from: ann, label: "locked", registry: "followed" });
    const registry = [
      "Upgraded",
      "RegistryCreated",
      "ParentUpdated",
      "EACRolesChanged",
      "URIUpdated",
      "Initialized",
    ].map((word) => `followed ${word}`);
    expect(wordsOf(migrated)).toEqual([
      "wrapper TransferSingle",
      "registry NewResolver",
      "wrapper TransferSingle",
      ...registry,
      "factory ProxyDeployed",
      ...promoted,
      "ethRegistry SubregistryUpdated",
    ]);
    expect(argsOf(migrated, "ProxyDeployed").salt).toBe(BigInt(parentNode));
    const ensV1Resolver = addressOf(chain, "ensV1Resolver");
    const resolvers = () =>
      Promise.all(["hard", "free", "loose"].map((label) => atLabel("getResolver", label, "followed")));
    expect(await resolvers()).toEqual([ensV1Resolver, ensV1Resolver, zeroAddress]);
    // The holder of the name in the parent has the root roles of the registry.
    await registerEntry(chain, { from: ann, label: "loose", registry: "followed", owner: carol });
    const wrong = await attempt(() =>
      registerEntry(chain, { from: ann, label: "free", registry: "followed", owner: carol }),
    );
    expect(wrong).toEqual({ outcome: "reverted", reason: "NameRequiresMigration()" });
    const sub = { from: bob, parent: "followed", parentNode };
    const hard = await migrateSubname(chain, { ...sub, label: "hard", registry: "followedToo" });
    const below = ["LabelRegistered", "TransferSingle mint", "TokenResource", "EACRolesChanged"];
    expect(wordsOf(hard)).toEqual([
      "wrapper TransferSingle",
      "wrapper TransferSingle",
      ...registry.map((word) => word.replace("followed", "followedToo")),
      "factory ProxyDeployed",
      "labelStore Label",
      ...below.map((word) => `followed ${word}`),
      "followed SubregistryUpdated",
    ]);
    // The registry itself migrates its subnames.
    expect(argsOf(hard, "LabelRegistered").sender).toBe(addressOf(chain, "followed"));
    const free = await migrateSubname(chain, { ...sub, label: "free" });
    expect(wordsOf(free)).toEqual([
      "wrapper TransferSingle",
      "registry NewResolver",
      "wrapper TransferSingle burn",
      "registry Transfer",
      "wrapper NameUnwrapped",
      "labelStore Label",
      ...below.map((word) => `followed ${word}`),
    ]);
    expect(await resolvers()).toEqual([zeroAddress, zeroAddress, zeroAddress]);
  });

  it("gives a frozen public resolver of ENSv1 way to that of ENSv2", async () => {
    const fuses = FUSES.CANNOT_UNWRAP | FUSES.CANNOT_SET_RESOLVER;
    await registerWrapped(chain, { from: ann, label: "frozen", resolver: "resolver4", fuses });
    await changeToEnsv2(chain, { from: root, names: [{ label: "frozen" }] });
    const migrated = await migrateLocked(chain, { from: ann, label: "frozen", registry: "followed" });
    expect(wordsOf(migrated).at(-1)).toBe("ethRegistry ResolverUpdated");
    const publicResolver = addressOf(chain, "publicResolverV2");
    expect(await atLabel("getResolver", "frozen")).toBe(publicResolver);
    const write = {
      resolver: "publicResolverV2",
      node: ethNode("frozen"),
      key: "url",
      value: "https://v2.example",
    };
    await setText(chain, { ...write, from: ann });
    expect(await attempt(() => setText(chain, { ...write, from: bob }))).toMatchObject({
      outcome: "reverted",
    });
  });

  it("leaves ended names of ENSv1 to the graveyard almost for ever", async () => {
    await registerReferred(chain, { from: ann, label: "ended", duration: 28n * DAY, resolver });
    await changeToEnsv2(chain, { from: root });
    await warpTo(chain, { timestamp: (await latestTime(chain)) + YEAR });
    const cleared = await clearInGraveyard(chain, { from: bob, names: [["ended", "eth"]] });
    expect(wordsOf(cleared)).toEqual([
      "registrar Transfer burn",
      "registrar Transfer mint",
      "registry NewOwner",
      "registrar NameRegistered",
      "registry NewResolver",
    ]);
    const expiry = await read<bigint>(chain, {
      contract: "registrar",
      functionName: "nameExpires",
      args: [tokenIdOf("ended")],
    });
    expect(2n ** 64n - expiry).toBeLessThan(100n * DAY);
  });
});

const nodeBelowLocked = (label: string): Hex => nodeBelow(ethNode("locked"), label);
