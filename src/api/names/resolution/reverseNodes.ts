import type { Address, Hex } from "viem";
import type { Contracts } from "../../../../abis/contracts.ts";
import { coinTypeOfChain, reverseNodeOf } from "../../../ens/coinType.ts";
import { childNode, labelhash } from "../../../ens/name.ts";
import { reverseNode } from "../schemas/input.ts";

/** The names by which an address claims a primary name, on each chain that has such names in its registry. */
export const reverseNodesOf = (
  address: Address,
  { chainId: main, chainIds }: Pick<Contracts, "chainId" | "chainIds">,
): { chainId: number; node: Hex }[] =>
  chainIds.map((chainId) => ({
    chainId,
    node:
      chainId === main
        ? reverseNode(address)
        : childNode(reverseNodeOf(coinTypeOfChain(chainId)), labelhash(address.slice(2).toLowerCase())),
  }));
