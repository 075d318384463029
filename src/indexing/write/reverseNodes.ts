import type { Context } from "ponder:registry";
import { resolverNode, reverseNode } from "ponder:schema";
import type { Address, Hex } from "viem";
import { coinTypeOfChain } from "../../ens/coinType.ts";
import { exactText } from "../../ens/storable.ts";
import type { LogRef } from "./logRef.ts";
import { appendClaim, storableName } from "./primaryNames.ts";

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
  const name = exactText(records?.name ?? null);
  const stored = storableName(name);
  if (stored !== row.name) await appendChange(context, log, row.address, name);
  await context.db.update(reverseNode, { chainId, node }).set({ resolver, name: stored });
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
  await appendChange(context, log, row.address, name);
  await context.db.update(reverseNode, { chainId, node }).set({ name: storableName(name) });
}

const appendChange = (context: Context, log: LogRef, address: Address, name: string | null) =>
  appendClaim(context, log, {
    address,
    name,
    isNameKnown: true,
    coinType: Number(coinTypeOfChain(log.chainId)),
    registrar: "REVERSE_REGISTRAR",
  });
