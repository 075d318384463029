import type { Context } from "ponder:registry";
import { addressRecord, ensv2Link, event, resolverNode, textRecord } from "ponder:schema";
import type { Hex } from "viem";
import { keccak256 } from "../../ens/keccak.ts";
import type { LogRef } from "./logRef.ts";
import { put } from "./put.ts";

type ResolverNode = typeof resolverNode.$inferSelect;

/** A text record as set. `value` null: it was cleared; undefined: the index cannot know the value. */
export type TextSet = {
  node: Hex;
  key: string;
  keyHash: Hex;
  value: string | null | undefined;
  isRead: boolean;
};

/** keccak256 of a text record's key. */
export const keyHashOf = (key: string): Hex => keccak256(key);

/** What a resolver holds for a node besides texts and addresses; a blank row if nothing was ever set. */
async function findResolverNode(context: Context, log: LogRef, node: Hex): Promise<ResolverNode> {
  const key = { chainId: log.chainId, resolver: log.contractAddress, node };
  const row = await context.db.find(resolverNode, key);
  return row ?? { ...key, version: 0, contenthash: null, name: null, blockNumber: log.blockNumber };
}

/** Sets the contenthash or the name of a node at the emitting resolver. Writes: resolver_nodes. */
export async function putResolverNode(
  context: Context,
  log: LogRef,
  node: Hex,
  patch: Partial<Pick<ResolverNode, "contenthash" | "name">>,
): Promise<void> {
  const columns = { ...patch, blockNumber: log.blockNumber };
  const key = { chainId: log.chainId, resolver: log.contractAddress, node };
  await context.db
    .insert(resolverNode)
    .values({ ...key, version: 0, ...columns })
    .onConflictDoUpdate(columns);
}

/**
 * Clears all records of a node at the emitting resolver by counting up its version, which is part of each record's key.
 * We count ourselves, because a contract can emit the event with any number. Writes: resolver_nodes.
 */
export async function clearRecords(context: Context, log: LogRef, node: Hex): Promise<void> {
  const key = { chainId: log.chainId, resolver: log.contractAddress, node };
  const empty = { contenthash: null, name: null, blockNumber: log.blockNumber };
  await context.db
    .insert(resolverNode)
    .values({ ...key, version: 1, ...empty })
    .onConflictDoUpdate((row) => ({ version: row.version + 1, ...empty }));
}

/** Sets an address record; empty bytes clear it. Writes: address_records. */
export async function putAddress(
  context: Context,
  log: LogRef,
  node: Hex,
  coinType: bigint,
  address: Hex,
): Promise<void> {
  const { version } = await findResolverNode(context, log, node);
  const columns = {
    address: address === "0x" ? null : address,
    blockNumber: log.blockNumber,
    transactionHash: log.transactionHash,
  };
  const key = { chainId: log.chainId, resolver: log.contractAddress, node, version, coinType };
  await put(context, addressRecord, key, columns);
}

/** The address record in force, as bytes; null if cleared or never set. */
export async function findAddress(
  context: Context,
  log: LogRef,
  node: Hex,
  coinType: bigint,
): Promise<Hex | null> {
  const { version } = await findResolverNode(context, log, node);
  const key = { chainId: log.chainId, resolver: log.contractAddress, node, version, coinType };
  return (await context.db.find(addressRecord, key))?.address ?? null;
}

/** A text record's row in the node's current version; null if the key was never set in it. */
export async function findText(context: Context, log: LogRef, node: Hex, keyHash: Hex) {
  const { version } = await findResolverNode(context, log, node);
  const key = { chainId: log.chainId, resolver: log.contractAddress, node, version, keyHash };
  return context.db.find(textRecord, key);
}

/**
 * Sets a text record. A value that was read at the end of this block belongs to the last set in the block, so an
 * earlier set in it loses the value that was stored for it. Gives the version of the row. Writes: text_records, events
 * (only in that case).
 */
export async function putText(context: Context, log: LogRef, text: TextSet): Promise<number> {
  const { version } = await findResolverNode(context, log, text.node);
  const { chainId, contractAddress: resolver, blockNumber, transactionHash } = log;
  const key = { chainId, resolver, node: text.node, version, keyHash: text.keyHash };
  const columns = {
    ...textColumns(text.key, text.value ?? null),
    isValueKnown: text.value !== undefined,
    blockNumber,
    logIndex: log.logIndex,
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
  if (overtaken === null) return version;
  const earlier = { chainId, blockNumber, logIndex: overtaken, ordinal: 0 };
  await context.db.update(event, earlier).set({ value: null, valueSource: "unknown" });
  return version;
}

/** Stores the value of a text's last set, if that is still the set of a log. Writes: text_records. */
export async function putLateValue(
  context: Context,
  row: typeof textRecord.$inferSelect,
  { blockNumber, logIndex }: Pick<LogRef, "blockNumber" | "logIndex">,
  value: string,
): Promise<void> {
  if (row.blockNumber !== blockNumber || row.logIndex !== logIndex) return;
  const { chainId, resolver, node, version, keyHash } = row;
  await context.db
    .update(textRecord, { chainId, resolver, node, version, keyHash })
    .set({ ...textColumns(exactKeyOf(row), value === "" ? null : value), isValueKnown: true });
}

/** The key of a text as logged. */
export const exactKeyOf = ({ key, exact }: Pick<typeof textRecord.$inferSelect, "key" | "exact">): string =>
  exact === null ? key : (JSON.parse(exact) as { key: string }).key;

/** The columns of a text, with U+2400 for NUL. If there is one, the exact texts are stored as JSON besides. */
const textColumns = (key: string, value: string | null) => ({
  key: key.replaceAll("\0", "\u2400"),
  value: value === null ? null : value.replaceAll("\0", "\u2400"),
  exact: key.includes("\0") || value?.includes("\0") ? JSON.stringify({ key, value }) : null,
});

/** Stores which record a name shows at the emitting ENSv2 resolver; null for none. Writes: ensv2_links. */
export async function putLink(context: Context, log: LogRef, node: Hex, record: Hex | null): Promise<void> {
  const { chainId, contractAddress: resolver, blockNumber, transactionHash } = log;
  await put(context, ensv2Link, { chainId, resolver, node }, { record, blockNumber, transactionHash });
}
