import type { Context } from "ponder:registry";
import type { ensv2Entry } from "ponder:schema";
import type { Hex } from "viem";
import { childNode } from "../../../ens/name.ts";
import { findReach, isReached, MAX_SHARED_ENTRIES } from "./reach.ts";
import { findMount, type Mount, mountsOf, type Registry } from "./registries.ts";

export type Entry = typeof ensv2Entry.$inferSelect;

/** An entry's name: the node, its parent, how many labels it has, and when the way to it ends. */
export type Place = { node: Hex; parentNode: Hex; depth: number; pathExpiryTimestamp: bigint | null };

export const placeBelow = (mount: Mount, { labelhash }: Pick<Entry, "labelhash">): Place => ({
  node: childNode(mount.node, labelhash),
  parentNode: mount.node,
  depth: mount.depth + 1,
  pathExpiryTimestamp: mount.pathExpiryTimestamp,
});

/** Whether an entry is followed below the name at a position. */
export const isFollowed = ({ number }: Pick<Entry, "number">, position: number): boolean =>
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
 * Whether a place of an entry has to say at once what the entry says. While the registry's entries wait for their names, each gets
 * its name in its turn: so what a registry has to lose, once it is unlinked, is what it got.
 */
export async function isCurrent(context: Context, entry: Entry, place: Place): Promise<boolean> {
  if (!(await isPlace(context, entry, place))) return false;
  return isReached(await findReach(context, entry.registry, place.parentNode), entry);
}
