import type { Context } from "ponder:registry";
import { primaryNameChange, resolverNode, reverseNode } from "ponder:schema";
import type { Address, Hex } from "viem";
import { coinTypeOfChain } from "../../ens/coinType.ts";
import { fitsInBytes, MAX_NAME_BYTES } from "../../ens/name.ts";
import type { LogRef } from "./logRef.ts";

/*
 * The reverse registrar of Basenames gives each address a node of Base's registry, and the node's resolver names the
 * address. ENSIP-19 took its place: such a claim is history, and never a primary name.
 */

/** Stores whose node a reverse node is. Writes: reverse_nodes. */
export async function putReverseNode(
  context: Context,
  log: LogRef,
  node: Hex,
  address: Address,
): Promise<void> {
  const key = { chainId: log.chainId, node };
  await context.db
    .insert(reverseNode)
    .values({ ...key, address, resolver: null, name: null })
    .onConflictDoUpdate({ address });
}

/** The registry gave a node another resolver. Writes: reverse_nodes, primary_name_changes. */
export async function setReverseResolver(
  context: Context,
  log: LogRef,
  { node, resolver }: { node: Hex; resolver: Address | null },
): Promise<void> {
  const { chainId } = log;
  const row = await context.db.find(reverseNode, { chainId, node });
  if (row === null) return;
  const records = resolver && (await context.db.find(resolverNode, { chainId, resolver, node }));
  const name = shownName(records?.name ?? null);
  if (name !== row.name) await appendChange(context, log, row.address, name);
  await context.db.update(reverseNode, { chainId, node }).set({ resolver, name });
}

/**
 * A resolver gave a node another name, null for none. It names the address if it is the node's resolver. Writes:
 * reverse_nodes, primary_name_changes.
 */
export async function setReverseName(
  context: Context,
  log: LogRef,
  node: Hex,
  name: string | null,
): Promise<void> {
  const { chainId } = log;
  const row = await context.db.find(reverseNode, { chainId, node });
  if (row === null || row.resolver !== log.contractAddress) return;
  const shown = shownName(name);
  await appendChange(context, log, row.address, shown);
  await context.db.update(reverseNode, { chainId, node }).set({ name: shown });
}

/** A name that is too long is no primary name, and is not stored: one short log could make us store it again. */
const shownName = (name: string | null): string | null =>
  name !== null && fitsInBytes(name, MAX_NAME_BYTES) ? name : null;

function appendChange(context: Context, log: LogRef, address: Address, name: string | null) {
  const { chainId, blockNumber, logIndex, transactionHash, blockTimestamp } = log;
  return context.db.insert(primaryNameChange).values({
    ...{ chainId, blockNumber, logIndex, transactionHash, blockTimestamp },
    ...{ address, name, isNameKnown: true },
    coinType: Number(coinTypeOfChain(chainId)),
    registrar: "REVERSE_REGISTRAR",
  });
}
