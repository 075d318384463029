import type { Address } from "viem";
import type { Deployment } from "../deployments.ts";

type Chain = Deployment["layer2"][number];

/**
 * All that the program knows of one layer 2. The role and the generation of a contract say which events it has, and its
 * reverse registrars and static resolvers are among the contracts.
 */
export type Layer2 = Pick<Chain, "name" | "chainId" | "multicall3" | "contracts"> & {
  /** The network that it belongs to, as `ENS_NETWORK` says it. */
  network: "mainnet" | "sepolia";
  /** What people call it. */
  title: string;
  /** The names that it keeps; left out if it has only primary names (ENSIP-19). */
  names?: Layer2Names;
};

export type Layer2Names = Keeper & {
  /** The name whose subnames it keeps. */
  parent: string;
  /** What people call these subnames. */
  called: string;
  /** Resolvers that the parent has on the main chain, and that ask this layer 2. */
  bridges: Address[];
};

/**
 * Who keeps the names, and how their lives end: a registrar gives them a grace after the expiry, and its price oracle may
 * begin the next sale with a premium. Tokens (3DNS) have an expiry each, and no grace.
 */
type Keeper = { keeper: "registrar"; hasPremium: boolean } | { keeper: "tokens" };
