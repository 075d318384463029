import type { Context } from "ponder:registry";
import { domain, ensv2Entry, ensv2Mounting, ensv2WaitingMount } from "ponder:schema";
import type { Address, Hex } from "viem";
import { NO_REGISTRY, storageIdOf } from "../../../ens/ensv2.ts";
import { childNode, labelhash as labelhashOf, ROOT_NODE } from "../../../ens/name.ts";
import { addressesOf } from "../contracts.ts";
import { patchDomain } from "../domains.ts";
import type { LogRef } from "../logRef.ts";
import { isFixedRegistry, isToldRegistry } from "./proxies.ts";
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
 * An entry of a registry has a name where its registry hangs at a name. A stranger can hang any registry at his own names,
 * also below itself, and can do so again and again. So the names of a registry are bounded, and no more than some entries
 * get or lose a name in one block; the others wait for later blocks. What is not followed here is found by the walk from
 * the root, and is in no list.
 */

/** How many entries get or lose a name in one block by the linking of registries. */
export const MAX_MOUNTED_PER_BLOCK = 500;
/** How many names of a registry are followed. */
export const MAX_MOUNTS = 8;
/** Labels of the longest name that is followed. */
export const MAX_DEPTH = 32;
/** How many entries of a registry, the first ones, are followed below all of its names; all are below the first name. */
export const MAX_SHARED_ENTRIES = 1_000;

/** Ordinals of rows that such work writes begin here: those of the log itself never get so far. */
const FIRST_ORDINAL = 1_000_000;

export type Entry = typeof ensv2Entry.$inferSelect;

/** Entries to look at again below a name: one, and all that were made before it. */
type EntryList = Pick<typeof ensv2WaitingMount.$inferSelect, "registry" | "node" | "depth" | "entry">;

/** An entry's name: the node, its parent, and how many labels it has. */
export type Place = { node: Hex; parentNode: Hex; depth: number };

const placeBelow = (mount: Mount, { labelhash }: Pick<Entry, "labelhash">): Place => ({
  node: childNode(mount.node, labelhash),
  parentNode: mount.node,
  depth: mount.depth + 1,
});

/** Whether an entry is followed below the name at a position. */
const isFollowed = ({ number }: Pick<Entry, "number">, position: number): boolean =>
  position === 0 || number < MAX_SHARED_ENTRIES;

/** The names of an entry that are followed. */
export async function placesOf(
  context: Context,
  registry: Registry,
  entry: Pick<Entry, "labelhash" | "number">,
): Promise<Place[]> {
  const mounts = await mountsOf(context, registry);
  return mounts.filter((_, position) => isFollowed(entry, position)).map((mount) => placeBelow(mount, entry));
}

/** Whether a place is still one of an entry's. */
export async function isPlace(context: Context, entry: Entry, { parentNode }: Place): Promise<boolean> {
  const mount = await findMount(context, parentNode);
  return mount?.registry === entry.registry && isFollowed(entry, mount.position);
}

/**
 * Writes what an entry says to one of its names, and hangs its subregistry there. A reservation leaves the name to ENSv1,
 * and what is below it to the walk. Writes: domains and their changes, ensv2 mounts.
 *
 * @returns what is to be done below the name
 */
export async function putName(
  context: Context,
  log: LogRef,
  entry: Entry,
  { node, parentNode, depth }: Place,
): Promise<EntryList[]> {
  if (!entry.isRegistered) return [];
  const { registry, labelhash, resolver, owner, expiry } = entry;
  await patchDomain(context, log, { node, parentNode, labelhash }, () => ({
    ...{ registry, resolver, expiryTimestamp: expiry, effectiveOwnerAddress: owner },
  }));
  return hang(context, log, entry, { node, depth });
}

/** Takes from a name what an entry said, unless another registry's entry took its place. Writes: as {@link putName}. */
async function dropName(context: Context, log: LogRef, entry: Entry, { node, depth }: Place) {
  const row = await context.db.find(domain, { chainId: log.chainId, node });
  if (row?.registry !== entry.registry) return [];
  await patchDomain(context, log, { node }, () => ({
    ...{ registry: NO_REGISTRY, resolver: null, expiryTimestamp: null, effectiveOwnerAddress: null },
  }));
  return hang(context, log, { ...entry, subregistry: null }, { node, depth });
}

/** Makes an entry's subregistry the one that hangs at a name. Gives the lists of entries that follow. */
async function hang(
  context: Context,
  log: LogRef,
  { registry, labelhash, subregistry }: Entry,
  mount: Mount,
): Promise<EntryList[]> {
  const before = await findMount(context, mount.node);
  if ((before?.registry ?? null) === subregistry) return [];
  const dropped = before === null ? [] : await takeDown(context, before, mount.depth);
  if (subregistry === null) return dropped;
  const row = await openRegistry(context, log, subregistry);
  return [...dropped, ...(await hangUp(context, row, mount, isClaimed(row, { registry, labelhash })))];
}

/** Hangs a registry at a name, if it may have one more. Where the registry claims to be goes before others. */
async function hangUp(context: Context, row: Registry, mount: Mount, claimed: boolean): Promise<EntryList[]> {
  if (mount.depth >= MAX_DEPTH || !(await leadsToRoot(context, mount.node, row.registry))) return [];
  const most = isFixedRegistry(context, row.registry) ? 1 : MAX_MOUNTS;
  const lists: EntryList[] = [];
  let room = row;
  if (row.mounts >= most) {
    const last = claimed ? (await mountsOf(context, row)).at(-1) : undefined;
    if (last === undefined) return [];
    await dropMount(context, row, { node: last.node, position: row.mounts - 1 });
    lists.push(...entriesBelow(row, last));
    room = { ...row, mounts: row.mounts - 1 };
  }
  await putMount(context, room, mount);
  const now = { ...room, mounts: room.mounts + 1 };
  if (claimed && now.mounts > 1) {
    const [first] = await mountsOf(context, now);
    await bringForward(context, now);
    if (first !== undefined) lists.push(...entriesBelow(row, first));
  }
  return [...lists, ...entriesBelow(row, mount, claimed || now.mounts === 1)];
}

/**
 * Whether the registries on the way up from a name hang there still, and none of them is `except`. What was cut off must
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
async function takeDown(
  context: Context,
  { registry, node, position }: { registry: Address; node: Hex; position: number },
  depth: number,
): Promise<EntryList[]> {
  const row = await findRegistry(context, registry);
  if (row === null) return [];
  await dropMount(context, row, { node, position });
  const [first] = position === 0 ? await mountsOf(context, { ...row, mounts: row.mounts - 1 }) : [];
  const isNext = first !== undefined && (await leadsToRoot(context, first.node));
  return [...(isNext ? entriesBelow(row, first) : []), ...entriesBelow(row, { node, depth }, position === 0)];
}

/** The list of a registry's entries, or of those that all of its names have; none if it has none. */
function entriesBelow(
  { registry, firstEntry, lastShared }: Registry,
  mount: Mount,
  isAll = true,
): EntryList[] {
  const entry = isAll ? firstEntry : lastShared;
  return entry === null ? [] : [{ registry, ...mount, entry }];
}

/**
 * Looks again at all entries of a registry, because its logs tell what it stores from here on, or no longer do. Writes: as
 * {@link goThrough}.
 */
export async function lookAgain(context: Context, log: LogRef, registry: Address): Promise<void> {
  const row = await findRegistry(context, registry);
  if (row === null) return;
  const lists = (await mountsOf(context, row)).flatMap((mount) => entriesBelow(row, mount));
  await goThrough(context, log, lists);
}

/**
 * Follows what a registry says of where it hangs, if the parent's entry agrees. The parent's names may have been left out
 * before. Writes: as {@link goThrough}.
 */
export async function followClaim(context: Context, log: LogRef, registry: Address): Promise<void> {
  const row = await findRegistry(context, registry);
  if (row === null || row.parentRegistry === null || row.parentLabel === null) return;
  const parent = await findRegistry(context, row.parentRegistry);
  const storageId = storageIdOf(labelhashOf(row.parentLabel));
  const key = { chainId: log.chainId, registry: row.parentRegistry, storageId };
  const entry = await context.db.find(ensv2Entry, key);
  if (parent === null || entry?.subregistry !== registry || !entry.isRegistered) return;
  for (const place of await placesOf(context, parent, entry)) {
    const { node, depth } = place;
    if (!(await isPlace(context, entry, place))) continue;
    const now = await findMount(context, node);
    if (now !== null && (now.registry !== registry || now.position === 0)) continue;
    if (now !== null) await dropMount(context, await openRegistry(context, log, registry), now);
    const current = await openRegistry(context, log, registry);
    await goThrough(context, log, await hangUp(context, current, { node, depth }, true));
  }
}

/**
 * Looks at entries of lists, and at those that earlier blocks left, as many as the block still may. What is left is stored.
 * Each entry gets or loses its name by what is stored then: so at the end each name is right, in whatever order registries
 * were linked. Writes: domains and their changes, ensv2 mounts, ensv2_mountings, ensv2_waiting_mounts.
 */
export async function goThrough(
  context: Context,
  log: LogRef,
  lists: readonly EntryList[] = [],
): Promise<void> {
  const { chainId, blockNumber } = log;
  const before = await context.db.find(ensv2Mounting, { chainId });
  let mounted = before?.blockNumber === blockNumber ? before.mounted : 0;
  let waiting = before?.waiting ?? 0;
  if (lists.length === 0 && (waiting === 0 || mounted >= MAX_MOUNTED_PER_BLOCK)) return;
  const stack = [...lists];
  for (; mounted < MAX_MOUNTED_PER_BLOCK && stack.length + waiting > 0; mounted++) {
    const next = stack.pop() ?? (await context.db.find(ensv2WaitingMount, { chainId, position: --waiting }));
    const cause = { ...log, eventType: "SubregistryUpdated", ordinal: FIRST_ORDINAL + mounted };
    if (next !== null && next !== undefined) stack.push(...(await lookAtFirst(context, cause, next)));
  }
  for (const list of stack) await putWaiting(context, { chainId, position: waiting++ }, list);
  const columns = { blockNumber, mounted, waiting };
  await context.db
    .insert(ensv2Mounting)
    .values({ chainId, ...columns })
    .onConflictDoUpdate(columns);
}

/** Looks at the first entry of a list. Gives the rest of the list, and what is to be done below the entry's name. */
async function lookAtFirst(
  context: Context,
  log: LogRef,
  { registry, node, depth, entry: storageId }: EntryList,
): Promise<EntryList[]> {
  const entry = await context.db.find(ensv2Entry, { chainId: log.chainId, registry, storageId });
  if (entry === null) return [];
  const place = placeBelow({ node, depth }, entry);
  const mount = await findMount(context, node);
  const isName = mount?.registry === registry && isFollowed(entry, mount.position);
  const isTold = isName && (await isToldRegistry(context, registry));
  const below = await (isTold ? putName : dropName)(context, log, entry, place);
  const rest = entry.nextEntry === null ? [] : [{ registry, node, depth, entry: entry.nextEntry }];
  // What is below a name comes before the rest of the list, which keeps the stack short.
  return [...rest, ...below];
}

function putWaiting(
  context: Context,
  place: { chainId: number; position: number },
  { registry, node, depth, entry }: EntryList,
) {
  const columns = { registry, node, depth, entry };
  return context.db
    .insert(ensv2WaitingMount)
    .values({ ...place, ...columns })
    .onConflictDoUpdate(columns);
}

/** Where this process last looked for entries that wait, by chain. */
const looked = new Map<number, Pick<LogRef, "blockHash" | "logIndex">>();

/** Goes on with entries that earlier blocks left. The first log of a block looks for them, whatever it says. */
export async function goOnMounting(context: Context, log: LogRef): Promise<void> {
  if (addressesOf(context, "Ensv2RootRegistry").length === 0) return;
  const { chainId, blockHash, logIndex } = log;
  const last = looked.get(chainId);
  if (last?.blockHash === blockHash && last.logIndex < logIndex) return;
  looked.set(chainId, { blockHash, logIndex });
  await goThrough(context, log);
}
