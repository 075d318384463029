import type { Address, Hex } from "viem";
import type { StoredOwners } from "../rules/ownership.ts";
import type { Ensv2State } from "./ensv2/state.ts";

/** What is known of a domain, from the index or from the chain. */
export type DomainState = StoredOwners & {
  /** Chain of the registry. */
  chainId: number;
  node: Hex;
  parentNode: Hex | null;
  labelhash: Hex | null;
  label: string;
  labelLength: number | null;
  fullName: string;
  expiryTimestamp: bigint | null;
  /** When the way through ENSv2 to the name ends; null where there is none, and for names of ENSv1. */
  pathExpiryTimestamp?: bigint | null;
  resolver: Address | null;
  /** The registry of ENSv2 whose entry answers for the name; null where ENSv1 does. */
  registry: Address | null;
  /** The owner as stored: of a name of ENSv2 the holder of its token. */
  effectiveOwnerAddress: Address | null;
  /** What ENSv2 says of the name; absent where the deployment has no ENSv2, and for names of a layer 2. */
  ensv2?: Ensv2State;
  /** A .eth name of ENSv1 that ENSv2 never saw, while its registrar is open: it has no premium. */
  isUnseen?: boolean;
  /** The name's `display` text record. */
  displayText: string | null;
};

/** A name without an owner in ENSv1. */
export const noOwners = {
  ...{ registryOwner: null, registrarOwner: null, wrapperOwner: null, isWrapped: false },
  ...{ wrapperFuses: null, wrapperExpiryTimestamp: null },
} as const;
