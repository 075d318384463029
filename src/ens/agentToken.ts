import type { Address, Hex } from "viem";
import { childNode, ETH_NODE, hashOfTokenId } from "./name.ts";

/** A token by its contract and id. */
export type Token = { tokenContract: Address; tokenId: bigint };

/** Contracts whose tokens are names, in lower case. */
export type NameContracts = { registrars: readonly Address[]; wrappers: readonly Address[] };

/**
 * The name that a token stands for: a .eth second-level name for the registrar's (the id is its labelhash), any name
 * for the NameWrapper's (the id is its node). Both stay the name's token through expiry, re-registration, wrapping and
 * unwrapping. Null for any other token.
 */
export function nodeOfToken({ tokenContract, tokenId }: Token, names: NameContracts): Hex | null {
  if (names.registrars.some((address) => isSame(address, tokenContract)))
    return childNode(ETH_NODE, hashOfTokenId(tokenId));
  if (names.wrappers.some((address) => isSame(address, tokenContract))) return hashOfTokenId(tokenId);
  return null;
}

const isSame = (a: Address, b: Address): boolean => a.toLowerCase() === b.toLowerCase();
