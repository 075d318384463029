import { type Address, getAddress, type Hex, namehash, zeroAddress } from "viem";
import { addressOf, type EntryState, hashLabel, latestTime, read } from "../../devnet/acts.ts";
import { expectedOfEnsv2, type Found, findEntry, isHistory } from "../chain/ensv2Answers.ts";
import { readEnsv2Contracts } from "../chain/ensv2Reads.ts";
import { listNodes, readDomain, readLogs } from "../chain/layer2Reads.ts";
import { expectedWhois, nodeOfShown, readAtTime } from "../chain/onChain.ts";
import type { AppsStage } from "./stage.ts";
import { basenames } from "./story/base.ts";
import { endingOfEnsv1, heavySubnames, lastingLabels } from "./story/ensv1.ts";
import { endingBelow, endingOfEnsv2, heavyLabels, heavyNames } from "./story/ensv2.ts";

/*
 * The contracts' answers about every name of the story, in the words of the screens. The index is not asked: the names and
 * accounts asked about are the story's own.
 */

/** A name as the contracts have it at the newest block. */
export type OnChain = {
  name: string;
  chain?: "base";
  protocol?: "ensv1" | "ensv2";
  namehash: Hex;
  owner: Address | null;
  /** In ENSv1: holder of the wrapper's token, or else owner in the registry. ENSv2 has roles instead. */
  manager: Address | null;
  expiry: bigint | null;
  state: string;
  resolver: Address | null;
  /** Who has roles on it, in ENSv2. */
  roleHolders: readonly Address[];
  /** The end of ENSv2's reservation. */
  reservedUntil: bigint | null;
  wrapper: { fuses: number; expiry: bigint } | null;
};

const label = (text: string): string => `[${hashLabel(text).slice(2)}]`;

/** Every name of the story that is worth a full look, spelled as in answers. */
function storyNames({ present }: AppsStage): string[] {
  const eth = (labels: readonly string[]) => labels.map((one) => `${one}.eth`);
  return [
    ...eth(lastingLabels()),
    ...eth(endingOfEnsv1({ present }).map((one) => one.label)),
    ...eth(endingOfEnsv2({ present }).map((one) => one.label)),
    ...eth(["native", "sold", "helped", label("hidden")]),
    `${label("pay")}.alice.eth`,
    `${label("empty")}.alice.eth`,
    "sub.alice.eth",
    "plain.wrapped.eth",
    ...["ended", "ends", "live", "sub"].map((one) => `${one}.hard.eth`),
    "kid.locked.eth",
    "left.locked.eth",
    ...["kid", "mine", "never", "gone", "saved"].map((one) => `${one}.native.eth`),
    ...endingBelow({ present }).map((one) => `${one.label}.native.eth`),
  ];
}

const readName = async (stage: AppsStage, name: string): Promise<OnChain> => {
  const found = await findEntry(stage, name);
  const node = nodeOfShown(name);
  const ofEnsv1 = await expectedWhois(stage.chain, name);
  const reservedUntil = found !== null && !found.wasRegistered ? found.expiry : null;
  const common = { name, namehash: node, reservedUntil };
  if (found?.wasRegistered) {
    const of = await expectedOfEnsv2(stage.chain, name, found);
    const owner = (of.ownership as { owner?: Address }).owner ?? null;
    const { expiry_timestamp, availability_status, resolver } = of;
    return {
      ...common,
      protocol: "ensv2",
      owner,
      manager: null,
      wrapper: null,
      expiry: BigInt(expiry_timestamp),
      state: availability_status,
      resolver,
      roleHolders: await readHoldersOfEntry(stage, found, availability_status),
    };
  }
  // If a name above it migrated to ENSv2, ENSv1 no longer has it.
  if (await isHistory(stage, name)) {
    return {
      ...common,
      protocol: "ensv2",
      owner: null,
      manager: null,
      expiry: reservedUntil,
      state: "unknown",
      resolver: null,
      roleHolders: [],
      wrapper: null,
    };
  }
  const { owner = null, registry = null } = ofEnsv1.ownership as { owner?: Address; registry?: Address };
  const holder = (ofEnsv1.ownership as { wrapper?: Address }).wrapper;
  return {
    ...common,
    protocol: "ensv1",
    owner,
    manager: holder ?? registry,
    roleHolders: [],
    expiry: ofEnsv1.expiry_timestamp === null ? null : BigInt(ofEnsv1.expiry_timestamp),
    state: ofEnsv1.availability_status,
    resolver: ofEnsv1.resolver,
    wrapper: ofEnsv1.wrapper
      ? { fuses: ofEnsv1.wrapper.fuses, expiry: BigInt(ofEnsv1.wrapper.expiry_timestamp) }
      : null,
  };
};

/** In grace, the roles are those that a renewal restores: those of the second before the expiry. */
async function readHoldersOfEntry(
  stage: AppsStage,
  { registry, label, expiry, resource }: Found,
  state: string,
): Promise<Address[]> {
  if (state !== "grace") return readRoleHolders(stage, { registry, resource });
  const args = [BigInt(hashLabel(label))];
  const question = { contract: registry, functionName: "getState", args };
  const before = await readAtTime<EntryState>(stage.chain, question, expiry - 1n);
  return readRoleHolders(stage, { registry, resource: before.resource }, expiry - 1n);
}

/** Accounts that ever got a role there and have one at that time, as the contract answers. */
export async function readRoleHolders(
  stage: AppsStage,
  { registry, resource }: { registry: Hex; resource: bigint },
  time = stage.present,
): Promise<Address[]> {
  const { logs } = await readEnsv2Contracts(stage.local);
  const accounts = new Set(
    logs.flatMap(({ address, eventName, args }) =>
      eventName === "EACRolesChanged" && address.toLowerCase() === registry && args.resource === resource
        ? [getAddress(args.account as Address)]
        : [],
    ),
  );
  const held = await Promise.all(
    [...accounts].map(async (account) => {
      const question = { contract: registry, functionName: "roles", args: [resource, account] };
      return (await readAtTime<bigint>(stage.chain, question, time)) === 0n ? [] : [account];
    }),
  );
  return held.flat();
}

async function readBase({ base }: AppsStage): Promise<OnChain[]> {
  const nodes = listNodes(base, await readLogs(base));
  const names = new Map(
    [...basenames.map((one) => `${one}.base.eth`), "sub.alice.base.eth"].map((name) => [
      nodeOfShown(name),
      name,
    ]),
  );
  return Promise.all(
    nodes.flatMap((one) => {
      const name = names.get(one.node);
      return name === undefined ? [] : [readBasename(name, one)];
    }),
  );

  /** The registrar returns no owner from the expiry on. The story has no name past its grace. */
  async function isHeld({ tokenId }: (typeof nodes)[number]): Promise<boolean> {
    if (tokenId === null) return true;
    const question = { contract: "registrar", functionName: "ownerOf", args: [tokenId] };
    return read<Address>(base.chain, question).then(
      () => true,
      () => false,
    );
  }

  async function readBasename(name: string, node: (typeof nodes)[number]): Promise<OnChain> {
    const row = await readDomain(base, node);
    const shown = (address: Hex | null) => (address === null ? null : getAddress(address));
    const expiry = row.expiry_timestamp === null ? null : BigInt(row.expiry_timestamp);
    return {
      name,
      chain: "base",
      namehash: node.node,
      owner: shown(row.effective_owner_address),
      expiry,
      manager: shown(row.registry_owner),
      resolver: shown(row.resolver),
      roleHolders: [],
      reservedUntil: null,
      wrapper: null,
      state: (await isHeld(node)) ? "registered" : "grace",
    };
  }
}

/** Owners of carol's many names, each asked for separately. */
async function readHeavy(stage: AppsStage): Promise<OnChain[]> {
  const { chain } = stage;
  const now = await latestTime(chain);
  const inRegistry = async (name: string): Promise<OnChain> => {
    const [first = "", ...above] = name.split(".");
    const contract = above.length === 1 ? "ethRegistry" : "registryOfCarol";
    const args = [BigInt(hashLabel(first))];
    const { latestOwner, expiry, status } = await read<EntryState>(chain, {
      contract,
      functionName: "getState",
      args,
    });
    const owner = latestOwner === zeroAddress ? null : getAddress(latestOwner);
    return {
      name,
      protocol: "ensv2",
      namehash: namehash(name),
      owner,
      manager: null,
      expiry,
      state: owner !== null && expiry > now ? "registered" : "unknown",
      resolver: null,
      wrapper: null,
      roleHolders: owner === null ? [] : [owner],
      reservedUntil: status === 1 ? expiry : null,
    };
  };
  const inEnsv1 = async (name: string): Promise<OnChain> => {
    const namehash = nodeOfShown(name);
    const question = { contract: "registry", functionName: "owner", args: [namehash] };
    const owner = getAddress(await read<Address>(chain, question));
    return {
      name,
      protocol: "ensv1",
      namehash,
      owner,
      manager: owner,
      expiry: null,
      state: "registered",
      resolver: null,
      roleHolders: [],
      reservedUntil: null,
      wrapper: null,
    };
  };
  const [first = ""] = heavyNames();
  return Promise.all([
    ...heavyNames().map((one) => inRegistry(`${one}.eth`)),
    ...heavyLabels().map((one) => inRegistry(`${one}.${first}.eth`)),
    ...heavySubnames().map(inEnsv1),
  ]);
}

/** Every name of the story, as the contracts have it. */
export async function readStory(stage: AppsStage): Promise<OnChain[]> {
  await readEnsv2Contracts(stage.local);
  const looked = await Promise.all(storyNames(stage).map((name) => readName(stage, name)));
  return [...looked, ...(await readBase(stage)), ...(await readHeavy(stage))];
}

/** Where the index puts the entries of a registry whose address the story knows by its name. */
export const at = ({ chain }: AppsStage, contract: string): Address => getAddress(addressOf(chain, contract));
