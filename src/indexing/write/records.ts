import type { Context } from "ponder:registry";
import { addressRecord, event, resolverNode, textRecord } from "ponder:schema";
import type { Hex } from "viem";
import { keccak256 } from "../../ens/keccak.ts";
import type { LogRef } from "./logRef.ts";

type ResolverNode = typeof resolverNode.$inferSelect;

/** A text record as set; `value` null is a clearing, undefined a value that the index cannot know. */
export type TextSet = {
  node: Hex;
  key: string;
  keyHash: Hex;
  value: string | null | undefined;
  isRead: boolean;
};

/** keccak256 of a text record's key. */
export const keyHashOf = (key: string): Hex => keccak256(key);

/** What a resolver holds for a node besides texts and addresses; a blank one if nothing was ever set. */
export async function findResolverNode(context: Context, cause: LogRef, node: Hex): Promise<ResolverNode> {
  const key = { chainId: cause.chainId, resolver: cause.contractAddress, node };
  const row = await context.db.find(resolverNode, key);
  return row ?? { ...key, version: 0, contenthash: null, name: null, blockNumber: cause.blockNumber };
}

/** Sets the contenthash or the name of a node at the emitting resolver. Writes: resolver_nodes. */
export async function putResolverNode(
  context: Context,
  cause: LogRef,
  node: Hex,
  patch: Partial<Pick<ResolverNode, "contenthash" | "name">>,
): Promise<void> {
  const columns = { ...patch, blockNumber: cause.blockNumber };
  const key = { chainId: cause.chainId, resolver: cause.contractAddress, node };
  await context.db
    .insert(resolverNode)
    .values({ ...key, version: 0, ...columns })
    .onConflictDoUpdate(columns);
}

/**
 * Clears all records of a node at the emitting resolver, by moving on to the next version: records carry theirs.
 * Counted here, because anybody may write a resolver whose event says any number. Writes: resolver_nodes.
 */
export async function clearRecords(context: Context, cause: LogRef, node: Hex): Promise<void> {
  const key = { chainId: cause.chainId, resolver: cause.contractAddress, node };
  const empty = { contenthash: null, name: null, blockNumber: cause.blockNumber };
  await context.db
    .insert(resolverNode)
    .values({ ...key, version: 1, ...empty })
    .onConflictDoUpdate((row) => ({ version: row.version + 1, ...empty }));
}

/** Sets an address record; empty bytes clear it. Writes: address_records. */
export async function putAddress(
  context: Context,
  cause: LogRef,
  node: Hex,
  coinType: bigint,
  address: Hex,
): Promise<void> {
  const { version } = await findResolverNode(context, cause, node);
  const columns = {
    address: address === "0x" ? null : address,
    blockNumber: cause.blockNumber,
    transactionHash: cause.transactionHash,
  };
  const key = { chainId: cause.chainId, resolver: cause.contractAddress, node, version, coinType };
  await context.db
    .insert(addressRecord)
    .values({ ...key, ...columns })
    .onConflictDoUpdate(columns);
}

/** The address record that holds now, as bytes; null if cleared or never set. */
export async function findAddress(
  context: Context,
  cause: LogRef,
  node: Hex,
  coinType: bigint,
): Promise<Hex | null> {
  const { version } = await findResolverNode(context, cause, node);
  const key = { chainId: cause.chainId, resolver: cause.contractAddress, node, version, coinType };
  return (await context.db.find(addressRecord, key))?.address ?? null;
}

/** A text record's row in the node's current version; null if the key was never set in it. */
export async function findText(context: Context, cause: LogRef, node: Hex, keyHash: Hex) {
  const { version } = await findResolverNode(context, cause, node);
  const key = { chainId: cause.chainId, resolver: cause.contractAddress, node, version, keyHash };
  return context.db.find(textRecord, key);
}

/**
 * Sets a text record. A value that was read at the end of this very block belongs to the last set in it, so an earlier
 * one loses the value it was thought to have. Writes: text_records, events (only in that case).
 */
export async function putText(context: Context, cause: LogRef, text: TextSet): Promise<void> {
  const { version } = await findResolverNode(context, cause, text.node);
  const { chainId, contractAddress: resolver, blockNumber, transactionHash } = cause;
  const key = { chainId, resolver, node: text.node, version, keyHash: text.keyHash };
  const columns = {
    ...storable(text.key, text.value ?? null),
    isValueKnown: text.value !== undefined,
    blockNumber,
    logIndex: cause.logIndex,
    transactionHash,
    isRead: text.isRead,
  };
  let overtaken = null as number | null;
  await context.db
    .insert(textRecord)
    .values({ ...key, ...columns, setsInTransaction: 1 })
    .onConflictDoUpdate((before) => {
      if (before.isRead && before.blockNumber === blockNumber) overtaken = before.logIndex;
      const earlierSets = before.transactionHash === transactionHash ? before.setsInTransaction : 0;
      return { ...columns, setsInTransaction: earlierSets + 1 };
    });
  if (overtaken === null) return;
  const earlier = { chainId, blockNumber, logIndex: overtaken, ordinal: 0 };
  await context.db.update(event, earlier).set({ value: null, valueSource: "unknown" });
}

/** PostgreSQL's text has no NUL: a text with it is kept as JSON, and its column shows U+2400 in its place. */
function storable(key: string, value: string | null) {
  if (!key.includes("\0") && !value?.includes("\0")) return { key, value, exact: null };
  const shown = (text: string) => text.replaceAll("\0", "\u2400");
  return {
    key: shown(key),
    value: value === null ? null : shown(value),
    exact: JSON.stringify({ key, value }),
  };
}
