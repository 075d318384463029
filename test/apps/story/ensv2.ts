import { type Address, type Hex, keccak256, namehash, stringToHex, zeroAddress } from "viem";
import {
  addressOf,
  allowReservations,
  buyName,
  DAY,
  deployResolver,
  deployUserRegistry,
  ethNode,
  freezeV1,
  fundForEnsv2,
  GRACE_V2,
  grantRoles,
  grantRootRoles,
  handOverV1,
  migrateLocked,
  migrateSubname,
  migrateUnwrapped,
  migrateWrapped,
  openEnsv2,
  ROLES,
  ROLES_OF_AN_OWNER,
  registerEntry,
  reserveNames,
  revokeRoles,
  revokeRootRoles,
  setEntryResolver,
  setParent,
  setReverseName,
  switchToEnsv2,
  transferEntry,
  unregisterEntry,
  writeAllToResolver,
  writeToResolver,
  YEAR,
} from "../../../devnet/acts.ts";
import { reservedOfEnsv1 } from "./ensv1.ts";
import { around, daysBefore, type Story, sendMany } from "./times.ts";

/*
 * The change to ENSv2 and later acts there: migrated names, names that only ENSv2 knows, registries and resolvers of accounts,
 * roles granted and revoked, and an account with many names (carol).
 */

/** Names of the heavy account right under `.eth`, and labels of its registry. */
const HEAVY_NAMES = 205;
export const HEAVY_LABELS = 205;
/** Accounts that have one of two roles on native.eth, besides its owner and dave; a registry allows 15 for each role. */
export const ROLE_HOLDERS = 26;

/** Names of ENSv2 that end around the present: at their expiry, and at the end of their grace. */
export const endingOfEnsv2 = ({ present }: Pick<Story, "present">) => {
  const [ended, ends, live] = around(present);
  const [over, free, grace] = around(present - GRACE_V2);
  return [
    { label: "v2-ended", expiry: ended },
    { label: "v2-ends", expiry: ends },
    { label: "v2-live", expiry: live },
    { label: "v2-over", expiry: over },
    { label: "v2-free", expiry: free },
    { label: "v2-grace", expiry: grace },
  ];
};

/** Subnames of native.eth that end around the present. */
export const endingBelow = ({ present }: Pick<Story, "present">) => {
  const [ended, ends, live] = around(present);
  return [
    { label: "ended", expiry: ended },
    { label: "ends", expiry: ends },
    { label: "live", expiry: live },
  ];
};

/** An account that never acts. */
const stranger = (at: number): Address => `0x${keccak256(stringToHex(`stranger ${at}`)).slice(-40)}`;

export const heavyNames = (): string[] =>
  Array.from({ length: HEAVY_NAMES }, (_, at) => `many-${String(at).padStart(3, "0")}`);
export const heavyLabels = (): string[] =>
  Array.from({ length: HEAVY_LABELS }, (_, at) => `label-${String(at).padStart(3, "0")}`);

export async function playEnsv2(story: Story): Promise<void> {
  await change(story);
  await migrate(story);
  await playNative(story);
  await playEnds(story);
  await giveRoles(story);
  await playHeavy(story);
  await playLast(story);
}

async function change(story: Story): Promise<void> {
  const { chain, cast } = story;
  const from = cast.deployer;
  await daysBefore(story, 120n);
  await allowReservations(chain, { from });
  const names = [...reservedOfEnsv1(story), "base"].map((label) => ({ label }));
  await reserveNames(chain, { from, names });
  await freezeV1(chain, { from });
  await handOverV1(chain, { from });
  await openEnsv2(chain, { from });
  await switchToEnsv2(chain, { from });
  for (const account of [cast.alice, cast.bob]) await fundForEnsv2(chain, { account });
}

async function migrate(story: Story): Promise<void> {
  const { chain, cast } = story;
  const { alice, bob, dave, deployer } = cast;
  await daysBefore(story, 110n);
  const resolver = addressOf(chain, "publicResolverV2");
  await migrateUnwrapped(chain, { from: bob, label: "moved", owner: alice, resolver });
  await migrateWrapped(chain, { from: alice, label: "soft" });
  await migrateLocked(chain, { from: alice, label: "locked", registry: "registryOfLocked" });
  const parent = { parent: "registryOfLocked", parentNode: ethNode("locked") };
  await migrateSubname(chain, { from: bob, label: "kid", ...parent });
  // Registered in ENSv2 over a lease of ENSv1, and given up: it still belongs to ENSv2.
  const back = { label: "back", owner: dave, roles: ROLES_OF_AN_OWNER | ROLES.unregister };
  await registerEntry(chain, { from: deployer, ...back, expiry: story.present + 100n * DAY });
  await unregisterEntry(chain, { from: dave, label: "back" });
}

/** native.eth: a name that only ENSv2 knows, with a registry and a resolver of its own. */
async function playNative(story: Story): Promise<void> {
  const { chain, cast, present } = story;
  const { alice: from, bob, frank } = cast;
  await daysBefore(story, 100n);
  await deployResolver(chain, { from, name: "resolverOfNative" });
  await deployUserRegistry(chain, { from, name: "registryOfNative" });
  const [resolver, subregistry] = [
    addressOf(chain, "resolverOfNative"),
    addressOf(chain, "registryOfNative"),
  ];
  await buyName(chain, { from, label: "native", resolver, subregistry, duration: 2n * YEAR });
  const parent = addressOf(chain, "ethRegistry");
  await setParent(chain, { from, registry: "registryOfNative", parent, label: "native" });
  const entry = { from, registry: "registryOfNative", expiry: present + 50n * DAY };
  await registerEntry(chain, { ...entry, label: "kid", owner: bob, resolver });
  await registerEntry(chain, { ...entry, label: "mine", owner: from, resolver });
  await registerEntry(chain, { ...entry, label: "saved", owner: zeroAddress });
  await registerEntry(chain, { ...entry, label: "never", owner: from, expiry: 2n ** 64n - 1n });
  await registerEntry(chain, { ...entry, label: "gone", owner: bob });
  await unregisterEntry(chain, { from, registry: "registryOfNative", label: "gone" });
  for (const one of endingBelow({ present })) await registerEntry(chain, { ...entry, ...one, owner: from });
  const name = ["native", "eth"];
  await writeAllToResolver(chain, {
    from,
    resolver: "resolverOfNative",
    writes: [
      { name, write: { kind: "text", key: "url", value: "https://native.example" } },
      { name, write: { kind: "text", key: "description", value: "to be cleared" } },
      { name, write: { kind: "address", coinType: 60n, bytes: frank } },
      { name, write: { kind: "contenthash", hash: "0xe301017012200000" as Hex } },
      { name: ["kid", ...name], write: { kind: "link", node: namehash("native.eth") } },
    ],
  });
  const write = { kind: "text", key: "description", value: "" } as const;
  await writeToResolver(chain, { from, resolver: "resolverOfNative", name, write });
}

async function playEnds(story: Story): Promise<void> {
  const { chain, cast } = story;
  const { deployer, alice, bob } = cast;
  for (const one of endingOfEnsv2(story)) {
    await registerEntry(chain, { from: deployer, ...one, owner: alice });
  }
  await buyName(chain, { from: alice, label: "sold", duration: 2n * YEAR });
  await transferEntry(chain, { from: alice, label: "sold", to: bob });
}

async function giveRoles(story: Story): Promise<void> {
  const { chain, cast } = story;
  const { alice, bob, dave } = cast;
  await daysBefore(story, 50n);
  await buyName(chain, { from: bob, label: "helped", duration: 2n * YEAR });
  const roles = ROLES.setResolver;
  await grantRoles(chain, { from: bob, label: "helped", roles, account: alice });
  await grantRoles(chain, { from: bob, label: "helped", roles, account: dave });
  await revokeRoles(chain, { from: bob, label: "helped", roles, account: dave });
  await setEntryResolver(chain, {
    from: alice,
    label: "helped",
    resolver: addressOf(chain, "resolverOfNative"),
  });
  await grantRoles(chain, { from: alice, label: "native", roles: ROLES.setSubregistry, account: dave });
  for (let at = 0; at < ROLE_HOLDERS; at++) {
    const given = at % 2 === 0 ? ROLES.setResolver : ROLES.setSubregistry;
    await grantRoles(chain, { from: alice, label: "native", roles: given, account: stranger(at) });
  }
  const root = { from: alice, registry: "registryOfNative", account: dave };
  await grantRootRoles(chain, { ...root, roles: ROLES.registrar | ROLES.renew });
  await revokeRootRoles(chain, { ...root, roles: ROLES.renew });
}

async function playHeavy(story: Story): Promise<void> {
  const { chain, cast, present } = story;
  const { deployer, carol, dave } = cast;
  await daysBefore(story, 20n);
  await deployUserRegistry(chain, { from: carol, name: "registryOfCarol" });
  const subregistry = addressOf(chain, "registryOfCarol");
  const register = (from: Address, contract: string, args: readonly unknown[]) => ({
    from,
    contract,
    functionName: "register",
    args,
  });
  const names = heavyNames().map((label, at) => {
    const below = at === 0 ? subregistry : zeroAddress;
    const expiry = present + BigInt(at + 1) * DAY;
    return register(deployer, "ethRegistry", [label, carol, below, zeroAddress, ROLES_OF_AN_OWNER, expiry]);
  });
  const labels = heavyLabels().map((label, at) => {
    // Some belong to another account, and some to no one.
    const owner = at % 50 === 1 ? dave : at % 50 === 2 ? zeroAddress : carol;
    const roles = owner === zeroAddress ? 0n : ROLES_OF_AN_OWNER;
    const args = [label, owner, zeroAddress, zeroAddress, roles, present + BigInt(at + 1) * DAY];
    return register(carol, "registryOfCarol", args);
  });
  await sendMany(chain, [...names, ...labels]);
  const parent = addressOf(chain, "ethRegistry");
  await setParent(chain, { from: carol, registry: "registryOfCarol", parent, label: heavyNames()[0] ?? "" });
}

/** What happened just now. */
async function playLast(story: Story): Promise<void> {
  const { chain, cast } = story;
  await daysBefore(story, 1n);
  await setReverseName(chain, { from: cast.frank, name: "pay60.eth" });
  const write = { kind: "text", key: "url", value: "https://newest.example" } as const;
  await writeToResolver(chain, {
    from: cast.alice,
    resolver: "resolverOfNative",
    name: ["native", "eth"],
    write,
  });
}
