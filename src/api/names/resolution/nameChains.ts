import type { Hex } from "viem";
import { nodeOfNameByNode } from "../../../ens/name.ts";
import type { Ctx } from "../../server/http/context.ts";
import { listDomainsOnChains } from "../query/domains.ts";
import { allChains, chainsOfNode, mainChain, type Scope } from "../query/scope.ts";
import { ancestorNodes, type ParsedName } from "../schemas/input.ts";
import { readAnsweringRows } from "./indexedRows.ts";

/**
 * The chains of a history. If only the main chain is indexed, all rows of a node belong to it. Otherwise each statement selects
 * chains: the registry of a layer 2 has nodes that are not names there (`eth`, reverse nodes).
 */

/** A name with its node. */
type NameOfNode = Pick<ParsedName, "name" | "node">;

/** The chains on which a name can exist: the main one, and the layer 2 of the managed name above it. */
export const chainsOfName = (ctx: Ctx, name: NameOfNode): Promise<Scope> =>
  chainsWhere(ctx, name, ({ node }, ancestors) => ancestors.includes(node));

/** The chains on which direct subnames can exist: a managed name also has subnames on the layer 2. */
export const chainsOfChildren = (ctx: Ctx, name: NameOfNode): Promise<Scope> =>
  chainsWhere(ctx, name, ({ node }, ancestors) => node === name.node || ancestors.includes(node));

async function chainsWhere(
  ctx: Ctx,
  { name, node }: NameOfNode,
  isThere: (managed: { node: Hex }, ancestors: readonly Hex[]) => boolean,
): Promise<Scope> {
  const { contracts } = ctx;
  if (contracts.managed.length === 0) return mainChain(contracts);
  const isByNode = nodeOfNameByNode(name) !== null;
  const ancestors = isByNode ? [] : ancestorNodes(name);
  const found = contracts.managed.filter((managed) => isThere(managed, ancestors));
  const rows = isByNode
    ? await listDomainsOnChains(ctx.db, { chains: allChains(contracts), nodes: [node] })
    : [];
  const ids = [
    contracts.chainId,
    ...found.map(({ chainId }) => chainId),
    ...rows.map(({ chainId }) => chainId),
  ];
  return chainsOfNode([...new Set(ids)], contracts);
}

/** The chain whose registry controls a name: its sequence of owners and resolvers is in one registry. */
export async function answeringChain(
  ctx: Ctx,
  name: ParsedName,
): Promise<{ chainId: number; chains: Scope }> {
  const { contracts } = ctx;
  const { chainId } = contracts;
  if (contracts.managed.length === 0) return { chainId, chains: mainChain(contracts) };
  const answering = (await readAnsweringRows(ctx, [name])).get(name.node)?.chainId ?? chainId;
  return { chainId: answering, chains: chainsOfNode([answering], contracts) };
}
