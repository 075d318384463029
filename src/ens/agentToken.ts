import type { Address, Hex } from "viem";
import { registrarNode } from "./managedNames.ts";
import { childNode, hashOfTokenId } from "./name.ts";

/** A token by its chain, contract and id. */
export type Token = { chainId: number; tokenContract: Address; tokenId: bigint };

/** Contracts of a chain whose tokens are names, in lower case. */
export type NameContracts = { registrars: readonly Address[]; wrappers: readonly Address[] };

/**
 * The name that a token stands for: a name right under the registrar's for the registrar's (the id is its labelhash), any name
 * for the NameWrapper's (the id is its node). Both stay the name's token through expiry, re-registration, wrapping and
 * unwrapping. Null for any other token.
 */
export function nodeOfToken({ chainId, tokenContract, tokenId }: Token, names: NameContracts): Hex | null {
  if (names.registrars.some((address) => isSame(address, tokenContract)))
    return childNode(registrarNode(chainId), hashOfTokenId(tokenId));
  if (names.wrappers.some((address) => isSame(address, tokenContract))) return hashOfTokenId(tokenId);
  return null;
}

const isSame = (a: Address, b: Address): boolean => a.toLowerCase() === b.toLowerCase();
