import type { Context } from "ponder:registry";
import { domain, ensv2Entry, ensv2Mount } from "ponder:schema";
import type { Address, Hex } from "viem";
import { NO_REGISTRY, pathExpiryBelow, storageIdOf } from "../../../ens/ensv2.ts";
import { labelhash as labelhashOf, ROOT_NODE } from "../../../ens/name.ts";
import { exactText } from "../../../ens/storable.ts";
import { defineWork, type WorkList, work } from "../blockQueue.ts";
import { patchDomain } from "../domains.ts";
import type { LogRef } from "../logRef.ts";
import { type Entry, isFollowed, isPlace, type Place, placeBelow, placesOf } from "./places.ts";
import { isFixedRegistry, isToldRegistry } from "./proxies.ts";
import {
  closeReach,
  extendReach,
  findReach,
  firstReached,
  isWide,
  narrowReach,
  nextReached,
  openReach,
  widenReach,
} from "./reach.ts";
import {
  bringForward,
  dropMount,
  findMount,
  findRegistry,
  isClaimed,
  type Mount,
  mountsOf,
  openRegistry,
  putMount,
  type Registry,
} from "./registries.ts";

/*
 * An entry of a registry has a name where its registry is at a name. A stranger can link any registry to his own names, also
 * below itself, and can do so again and again. So the names of a registry are bounded, and its entries get and lose names
 * through the queue of the block. What is not followed here is found by the walk from the root, and is in no list.
 */

/** How many names of a registry are followed. */
export const MAX_MOUNTS = 8;
/** Labels of the longest name that is followed. */
export const MAX_DEPTH = 32;

/**
 * Writes what an entry says to one of its names, and puts its subregistry there. A reservation leaves the name to ENSv1,
 * and what is below it to the walk. Writes: domains and their changes, ensv2 mounts.
 *
 * @returns what is to be done below the name
 */
export async function putName(
  context: Context,
  log: LogRef,
  entry: Entry,
  { node, parentNode, depth, pathExpiryTimestamp }: Place,
): Promise<WorkList[]> {
  if (!entry.isRegistered) return [];
  const { registry, labelhash, resolver, owner, expiry, registeredTimestamp } = entry;
  await patchDomain(context, log, { node, parentNode, labelhash }, () => ({
    registry,
    resolver,
    expiryTimestamp: expiry,
    pathExpiryTimestamp,
    effectiveOwnerAddress: owner,
    registeredTimestamp,
  }));
  return setSubregistry(context, log, entry, mountBelow(entry, { node, depth, pathExpiryTimestamp }));
}

/** The name of an entry, as a name at which its subregistry is. */
const mountBelow = ({ expiry }: Entry, { node, depth, pathExpiryTimestamp }: Mount): Mount => ({
  node,
  depth,
  pathExpiryTimestamp: pathExpiryBelow(pathExpiryTimestamp, expiry),
});

/** Takes from a name what an entry said, unless another registry's entry took its place. Writes: as {@link putName}. */
async function dropName(context: Context, log: LogRef, entry: Entry, place: Place) {
  const { node } = place;
  const row = await context.db.find(domain, { chainId: log.chainId, node });
  if (row?.registry !== entry.registry) return [];
  await patchDomain(context, log, { node }, () => ({
    registry: NO_REGISTRY,
    resolver: null,
    expiryTimestamp: null,
    pathExpiryTimestamp: null,
    effectiveOwnerAddress: null,
    registeredTimestamp: null,
  }));
  return setSubregistry(context, log, { ...entry, subregistry: null }, place);
}

/** Makes an entry's subregistry the one that is at a name. Gives the lists of entries that follow. */
async function setSubregistry(
  context: Context,
  log: LogRef,
  { registry, labelhash, subregistry }: Entry,
  { node, depth, pathExpiryTimestamp }: Mount,
): Promise<WorkList[]> {
  const mount = { node, depth, pathExpiryTimestamp };
  const before = await findMount(context, node);
  if (before !== null && before.registry === subregistry) return followMount(context, before, mount);
  const dropped = before === null ? [] : await unmount(context, before, depth);
  if (subregistry === null) return dropped;
  const row = await openRegistry(context, log, subregistry);
  const isWanted = isClaimed(row, { registry, labelhash });
  return [...dropped, ...(await mountRegistry(context, log, row, mount, isWanted))];
}

/**
 * Stores when the way to the names below a mount ends: they follow if that changed, and if they could not before. Writes:
 * ensv2_mounts, ensv2_reaches.
 */
async function followMount(
  context: Context,
  { chainId, registry, position }: { chainId: number; registry: Address; position: number },
  { node, depth, pathExpiryTimestamp }: Mount,
): Promise<WorkList[]> {
  const key = { chainId, registry, position };
  const [stored, row] = [await context.db.find(ensv2Mount, key), await findRegistry(context, registry)];
  if (stored === null || row === null) return [];
  const isLeftOut = position === 0 && !isWide(await findReach(context, registry, node));
  if (!isLeftOut && stored.pathExpiryTimestamp === pathExpiryTimestamp) return [];
  await context.db.update(ensv2Mount, key).set({ pathExpiryTimestamp });
  if (isLeftOut) await widenReach(context, row, node);
  return [await entriesBelow(context, row, { node, depth })];
}

/** Puts a registry at a name, if it may have one more. Where the registry claims to be goes before others. */
async function mountRegistry(
  context: Context,
  log: LogRef,
  registry: Registry,
  mount: Mount,
  isWanted: boolean,
): Promise<WorkList[]> {
  let row = registry;
  if (mount.depth >= MAX_DEPTH || !(await leadsToRoot(context, mount.node, row.registry))) return [];
  const lists: WorkList[] = [];
  if (row.mounts >= (isFixedRegistry(context, row.registry) ? 1 : MAX_MOUNTS)) {
    const spare = await findSpare(context, log, row, mount, isWanted);
    const found = spare && (await findMount(context, spare.node));
    if (!spare || !found) return [];
    lists.push(...(await unmount(context, found, spare.depth)));
    row = (await findRegistry(context, row.registry)) ?? row;
  }
  await putMount(context, row, mount);
  await openReach(context, row, mount.node);
  const now = { ...row, mounts: row.mounts + 1 };
  const [first] = await mountsOf(context, now);
  if (isWanted && now.mounts > 1) {
    await bringForward(context, now);
    if (first !== undefined) lists.push(await entriesBelow(context, now, first));
  }
  if (isWanted || now.mounts === 1) await widenReach(context, now, mount.node);
  return [...lists, await entriesBelow(context, now, mount)];
}

/**
 * Which of a registry's names gives way to another one: one to which no way leads any more, if one leads to the other; else
 * the last one, if the registry claims to be at the other.
 */
async function findSpare(
  context: Context,
  { blockTimestamp }: LogRef,
  row: Registry,
  other: Mount,
  isWanted: boolean,
): Promise<Mount | undefined> {
  const isOver = ({ pathExpiryTimestamp }: Mount) =>
    pathExpiryTimestamp !== null && pathExpiryTimestamp <= BigInt(blockTimestamp);
  const mounts = await mountsOf(context, row);
  const ended = isOver(other) ? undefined : mounts.findLast(isOver);
  return ended ?? (isWanted ? mounts.at(-1) : undefined);
}

/**
 * Whether the registries on the way up from a name are there still, and none of them is `except`. What was cut off must
 * not grow while it is taken down: with two ways at each level its names are more than anybody could write. And a registry
 * below itself has names without end.
 */
async function leadsToRoot(context: Context, name: Hex, except?: Address): Promise<boolean> {
  let node = name;
  for (let depth = 0; depth < MAX_DEPTH && node !== ROOT_NODE; depth++) {
    const row = await context.db.find(domain, { chainId: context.chain.id, node });
    if (row === null || row.parentNode === null) return false;
    const above = await findMount(context, row.parentNode);
    if (above === null || above.registry !== row.registry || above.registry === except) return false;
    node = row.parentNode;
  }
  return node === ROOT_NODE;
}

/** Takes a registry from a name. If it was its first one, another becomes the first, with all entries. */
async function unmount(
  context: Context,
  { registry, node, position }: { registry: Address; node: Hex; position: number },
  depth: number,
): Promise<WorkList[]> {
  const before = await findRegistry(context, registry);
  if (before === null) return [];
  await dropMount(context, before, { node, position });
  const row = { ...before, mounts: before.mounts - 1 };
  const dropped = await entriesBelow(context, row, { node, depth });
  if (dropped.first === null) await closeReach(context, registry, node);
  const [first] = position === 0 ? await mountsOf(context, row) : [];
  if (first === undefined || !(await leadsToRoot(context, first.node))) return [dropped];
  await widenReach(context, row, first.node);
  return [await entriesBelow(context, row, first), dropped];
}

/**
 * The list of a registry's entries that get a name below a name, or lose it. It is empty, and costs nothing, where the
 * registry is no longer at the name and no entry has one.
 */
async function entriesBelow(
  context: Context,
  row: Registry,
  { node, depth }: Pick<Mount, "node" | "depth">,
): Promise<WorkList> {
  const { registry, firstEntry, lastShared } = row;
  const [reach, mount] = [await findReach(context, registry, node), await findMount(context, node)];
  const isNamed = mount?.registry === registry && (await isToldRegistry(context, registry));
  const wide = isWide(reach) ? firstEntry : lastShared;
  return {
    kind: "entries",
    owner: registry,
    node,
    depth,
    first: isNamed ? wide : firstReached(reach, row),
  };
}

/**
 * Processes all entries of a registry again, because its logs begin or cease to determine its state. Writes: domains
 * and their changes, ensv2 mounts, and what waiting work needs.
 */
export async function rescan(context: Context, log: LogRef, registry: Address): Promise<void> {
  const row = await findRegistry(context, registry);
  if (row === null) return;
  const lists: WorkList[] = [];
  for (const mount of await mountsOf(context, row)) lists.push(await entriesBelow(context, row, mount));
  await work(context, log, lists);
}

/**
 * Follows what a registry says of where it is, if the parent's entry agrees. The parent's names may have been left out
 * before. Writes: as {@link rescan}.
 */
export async function followClaim(context: Context, log: LogRef, registry: Address): Promise<void> {
  const row = await findRegistry(context, registry);
  if (row === null || row.parentRegistry === null || row.parentLabel === null) return;
  const parent = await findRegistry(context, row.parentRegistry);
  const storageId = storageIdOf(labelhashOf(exactText(row.parentLabel)));
  const key = { chainId: log.chainId, registry: row.parentRegistry, storageId };
  const entry = await context.db.find(ensv2Entry, key);
  if (parent === null || entry?.subregistry !== registry || !entry.isRegistered) return;
  for (const place of await placesOf(context, parent, entry)) {
    if (!(await isPlace(context, entry, place))) continue;
    const now = await findMount(context, place.node);
    if (now !== null && (now.registry !== registry || now.position === 0)) continue;
    if (now !== null) await dropMount(context, await openRegistry(context, log, registry), now);
    const current = await openRegistry(context, log, registry);
    const mount = mountBelow(entry, place);
    await work(context, log, await mountRegistry(context, log, current, mount, true));
  }
}

/*
 * The entries of a registry below a name, from the newest to the oldest. Each entry gets or loses its name by what is stored
 * then: so at the end each name is right, in whatever order registries were linked.
 */

/** By how much the ordinals of rows that such work writes are above that of its log: those of the log itself never get so far. */
const FIRST_ORDINAL = 1_000_000;

defineWork("entries", {
  async next(context, { owner: registry, node }, storageId) {
    const entry = await findEntry(context, registry, storageId);
    if (entry === null) return null;
    if ((await findNamed(context, registry, node)) !== null) return entry.nextEntry;
    const row = await findRegistry(context, registry);
    return row && nextReached(await findReach(context, registry, node), entry, row);
  },
  async visit(context, log, { owner: registry, node, depth }, storageId, done) {
    const entry = await findEntry(context, registry, storageId);
    if (entry === null) return [];
    const cause = { ...log, eventType: "SubregistryUpdated", ordinal: log.ordinal + FIRST_ORDINAL + done };
    const mount = await findNamed(context, registry, node);
    const isName = mount !== null && isFollowed(entry, mount.position);
    const pathExpiryTimestamp = mount?.pathExpiryTimestamp ?? null;
    const place = placeBelow({ node, depth, pathExpiryTimestamp }, entry);
    if (isName) await extendReach(context, entry, node);
    return (isName ? putName : dropName)(context, cause, entry, place);
  },
  async finish(context, { owner: registry, node }) {
    const mount = await findNamed(context, registry, node);
    if (mount === null) await closeReach(context, registry, node);
    else if (mount.position > 0) await narrowReach(context, registry, node);
  },
});

const findEntry = (context: Context, registry: Hex, storageId: Hex) =>
  context.db.find(ensv2Entry, { chainId: context.chain.id, registry, storageId });

/** The mount below which a registry's entries have names; null if they have none there, or lose them. */
async function findNamed(context: Context, registry: WorkList["owner"], node: Hex) {
  const found = await findMount(context, node);
  if (found?.registry !== registry || !(await isToldRegistry(context, registry))) return null;
  return context.db.find(ensv2Mount, { chainId: context.chain.id, registry, position: found.position });
}
