import type { Context } from "ponder:registry";
import { ensv2Reach } from "ponder:schema";
import type { Address, Hex } from "viem";
import { put } from "../put.ts";
import type { Registry } from "./registries.ts";

/*
 * How far the entries of a registry got their names below a name at which it is, or was. Entries get them from the newest to
 * the oldest. Those above the first thousand have names below the registry's first name only.
 */

/** How many entries of a registry, the first ones, are followed below all of its names; all are below the first name. */
export const MAX_SHARED_ENTRIES = 1_000;

/** The oldest entry that has a name, among the first thousand (`lowestShared`) and among the others. */
export type Reach = Pick<typeof ensv2Reach.$inferSelect, "lowest" | "lowestShared">;

/** No entry has a number so high. */
const NONE = 2_147_483_647;

const nothing: Reach = { lowest: NONE, lowestShared: MAX_SHARED_ENTRIES };

export async function findReach(context: Context, registry: Address, node: Hex): Promise<Reach> {
  const row = await context.db.find(ensv2Reach, { chainId: context.chain.id, registry, node });
  return row === null ? nothing : { lowest: row.lowest, lowestShared: row.lowestShared };
}

const putReach = (context: Context, registry: Address, node: Hex, reach: Reach) =>
  put(context, ensv2Reach, { chainId: context.chain.id, registry, node }, reach);

/** Whether an entry may have its name; a new one always may. */
export const isReached = ({ lowest, lowestShared }: Reach, { number }: { number: number }): boolean =>
  number >= (number < MAX_SHARED_ENTRIES ? lowestShared : lowest);

/** Whether entries above the first thousand may have names. */
export const isWide = ({ lowest }: Reach): boolean => lowest !== NONE;

/** The registry is at the name from here on: entries that are made from now on get their names at once. Writes: ensv2_reaches. */
export async function openReach(context: Context, row: Registry, node: Hex): Promise<void> {
  const { lowest, lowestShared } = await findReach(context, row.registry, node);
  const shared = Math.min(row.entries, MAX_SHARED_ENTRIES);
  await putReach(context, row.registry, node, { lowest, lowestShared: Math.min(lowestShared, shared) });
}

/** The name is the registry's first from here on, below which all entries have names. Writes: ensv2_reaches. */
export async function widenReach(context: Context, row: Registry, node: Hex): Promise<void> {
  const { lowest, lowestShared } = await findReach(context, row.registry, node);
  const others = Math.max(row.entries, MAX_SHARED_ENTRIES);
  await putReach(context, row.registry, node, { lowest: Math.min(lowest, others), lowestShared });
}

/** An entry gets its name. Writes: ensv2_reaches. */
export async function extendReach(
  context: Context,
  { registry, number }: { registry: Address; number: number },
  node: Hex,
): Promise<void> {
  const reach = await findReach(context, registry, node);
  if (isReached(reach, { number })) return;
  const column = number < MAX_SHARED_ENTRIES ? "lowestShared" : "lowest";
  await putReach(context, registry, node, { ...reach, [column]: number });
}

/** No entry above the first thousand has its name any more. Writes: ensv2_reaches. */
export async function narrowReach(context: Context, registry: Address, node: Hex): Promise<void> {
  const reach = await findReach(context, registry, node);
  if (isWide(reach)) await putReach(context, registry, node, { ...reach, lowest: NONE });
}

/** No entry has its name any more. Writes: ensv2_reaches. */
export const closeReach = (context: Context, registry: Address, node: Hex) =>
  putReach(context, registry, node, nothing);

/** The newest entry that may have a name; null if none has. */
export function firstReached(
  { lowest, lowestShared }: Reach,
  { entries, firstEntry, lastShared }: Registry,
): Hex | null {
  if (lowest < entries) return firstEntry;
  return lowestShared < Math.min(entries, MAX_SHARED_ENTRIES) ? lastShared : null;
}

/** The entry after one, among those that may have names; null if it is the last. */
export function nextReached(
  { lowest, lowestShared }: Reach,
  { number, nextEntry }: { number: number; nextEntry: Hex | null },
  { lastShared }: Pick<Registry, "lastShared">,
): Hex | null {
  if (number < MAX_SHARED_ENTRIES) return number > lowestShared ? nextEntry : null;
  if (number > lowest) return nextEntry;
  return lowestShared < MAX_SHARED_ENTRIES ? lastShared : null;
}
