import type { Context } from "ponder:registry";
import { ensv2Mount, ensv2MountNode, ensv2Registry } from "ponder:schema";
import type { Address, Hex } from "viem";
import { fitsInBytes, isLabelOf, MAX_LABEL_BYTES, ROOT_NODE } from "../../../ens/name.ts";
import { exactText, storable } from "../../../ens/storable.ts";
import { addressesOf } from "../contracts.ts";
import type { LogRef } from "../logRef.ts";
import { reachPhase } from "./phases.ts";
import { openReach, widenReach } from "./reach.ts";

export type Registry = typeof ensv2Registry.$inferSelect;

/** A name at which a registry is; `depth` counts its labels. */
export type Mount = Pick<typeof ensv2Mount.$inferSelect, "node" | "depth" | "pathExpiryTimestamp">;

export const findRegistry = (context: Context, registry: Address): Promise<Registry | null> =>
  context.db.find(ensv2Registry, { chainId: context.chain.id, registry });

/** A registry's row; it gets one with its first log, or with the first entry that has it as its subregistry. */
export async function openRegistry(context: Context, log: LogRef, registry: Address): Promise<Registry> {
  const found = await findRegistry(context, registry);
  if (found !== null) return found;
  const { chainId, blockNumber: createdBlockNumber } = log;
  const isRoot = addressesOf(context, "Ensv2RootRegistry").includes(registry);
  const blank: Registry = {
    chainId,
    registry,
    parentRegistry: null,
    parentLabel: null,
    entries: 0,
    firstEntry: null,
    lastShared: null,
    mounts: 0,
    createdBlockNumber,
  };
  await context.db.insert(ensv2Registry).values(blank);
  if (!isRoot) return blank;
  await reachPhase(context, log, "deployed");
  await putMount(context, blank, { node: ROOT_NODE, depth: 0, pathExpiryTimestamp: null });
  await openReach(context, blank, ROOT_NODE);
  await widenReach(context, blank, ROOT_NODE);
  return { ...blank, mounts: 1 };
}

/** The names at which a registry is, as far as they are followed. */
export async function mountsOf(
  context: Context,
  { chainId, registry, mounts }: Pick<Registry, "chainId" | "registry" | "mounts">,
): Promise<Mount[]> {
  const found: Mount[] = [];
  for (let position = 0; position < mounts; position++) {
    const row = await context.db.find(ensv2Mount, { chainId, registry, position });
    if (row !== null) {
      const { node, depth, pathExpiryTimestamp } = row;
      found.push({ node, depth, pathExpiryTimestamp });
    }
  }
  return found;
}

/** The registry at a name: the registry, and which of its names it is. Null if none is followed there. */
export const findMount = (context: Context, node: Hex) =>
  context.db.find(ensv2MountNode, { chainId: context.chain.id, node });

/** Puts a name at the end of a registry's names. Writes: ensv2_mounts, ensv2_mount_nodes, ensv2_registries. */
export async function putMount(
  context: Context,
  { chainId, registry, mounts: position }: Registry,
  mount: Mount,
): Promise<void> {
  const { node } = mount;
  await context.db.insert(ensv2Mount).values({ chainId, registry, position, ...mount });
  await context.db.insert(ensv2MountNode).values({ chainId, node, registry, position });
  await context.db.update(ensv2Registry, { chainId, registry }).set({ mounts: position + 1 });
}

/**
 * Takes a name from a registry's names; the last one takes its place. Writes: ensv2_mounts, ensv2_mount_nodes,
 * ensv2_registries.
 */
export async function dropMount(
  context: Context,
  { chainId, registry, mounts }: Registry,
  { node, position }: { node: Hex; position: number },
): Promise<void> {
  const end = mounts - 1;
  const last = await context.db.find(ensv2Mount, { chainId, registry, position: end });
  if (last !== null && position !== end) await placeMount(context, { ...last, position });
  await context.db.delete(ensv2Mount, { chainId, registry, position: end });
  await context.db.delete(ensv2MountNode, { chainId, node });
  await context.db.update(ensv2Registry, { chainId, registry }).set({ mounts: end });
}

/** Makes the last of a registry's names its first. Writes: ensv2_mounts, ensv2_mount_nodes. */
export async function bringForward(context: Context, registry: Registry): Promise<void> {
  const mounts = await mountsOf(context, registry);
  const [first, last] = [mounts[0], mounts.at(-1)];
  if (first === undefined || last === undefined || mounts.length < 2) return;
  const { chainId, registry: address } = registry;
  await placeMount(context, { chainId, registry: address, position: 0, ...last });
  await placeMount(context, { chainId, registry: address, position: mounts.length - 1, ...first });
}

async function placeMount(
  context: Context,
  { chainId, registry, position, ...mount }: typeof ensv2Mount.$inferSelect,
): Promise<void> {
  await context.db.update(ensv2Mount, { chainId, registry, position }).set(mount);
  await context.db.update(ensv2MountNode, { chainId, node: mount.node }).set({ position });
}

/** Whether the registry says that it is at this label of this registry. */
export const isClaimed = (row: Registry, parent: { registry: Address; labelhash: Hex }): boolean =>
  row.parentRegistry === parent.registry &&
  row.parentLabel !== null &&
  isLabelOf(parent.labelhash, exactText(row.parentLabel));

/** Stores where the registry says that it is; a label that no name has is left out. Writes: ensv2_registries. */
export async function putClaim(
  context: Context,
  { chainId, registry }: Registry,
  { parent, label }: { parent: Address | null; label: string },
): Promise<void> {
  const parentLabel = fitsInBytes(label, MAX_LABEL_BYTES) ? storable(label) : null;
  await context.db.update(ensv2Registry, { chainId, registry }).set({ parentRegistry: parent, parentLabel });
}
