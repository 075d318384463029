import type { Address, Hex } from "viem";
import { childNode, ETH_NODE, hashOfTokenId } from "./name.ts";

/** A token by its contract and id. */
export type Token = { tokenContract: Address; tokenId: bigint };

/** Contracts whose tokens are names, lower case. */
export type NameContracts = { registrars: readonly Address[]; wrappers: readonly Address[] };

/**
 * The name whose token it is: a .eth second-level name by the registrar (the id is its labelhash), any name by the
 * NameWrapper (the id is its node). Either stays the name's token through expiry, re-registration, wrapping and
 * unwrapping. Null for any other token.
 */
export function nodeOfToken({ tokenContract, tokenId }: Token, names: NameContracts): Hex | null {
  if (names.registrars.some((address) => isSame(address, tokenContract)))
    return childNode(ETH_NODE, hashOfTokenId(tokenId));
  if (names.wrappers.some((address) => isSame(address, tokenContract))) return hashOfTokenId(tokenId);
  return null;
}

const isSame = (a: Address, b: Address): boolean => a.toLowerCase() === b.toLowerCase();
