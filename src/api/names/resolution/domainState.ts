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
  /** Where the text of the label is from; null while no one gave it. Absent where it was not read: domain records have it. */
  labelSource?: string | null;
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
  /** What only the index has of a name; absent where it has no row of it. */
  registeredTimestamp?: number | null;
  createdTimestamp?: number;
  isMigrated?: boolean;
  /** The last holder of a name of ENSv2 that has no owner any more because it, or a name above it, expired. */
  lastHolder?: LastHolder | null;
  /** How many names are right under it; read for domain records, and for lists that were asked for it. */
  subnameCount?: number;
};

/** Who held a name until it ended, and the first second at which it had. */
export type LastHolder = { address: Address; until: bigint };

/** What only the index has of a name, for a state from the chain. */
export const indexOnlyFields = (indexed: DomainState | null) =>
  indexed && {
    ...(indexed.registeredTimestamp !== undefined && { registeredTimestamp: indexed.registeredTimestamp }),
    ...(indexed.createdTimestamp !== undefined && { createdTimestamp: indexed.createdTimestamp }),
    ...(indexed.isMigrated !== undefined && { isMigrated: indexed.isMigrated }),
    ...(indexed.lastHolder !== undefined && { lastHolder: indexed.lastHolder }),
    ...(indexed.subnameCount !== undefined && { subnameCount: indexed.subnameCount }),
    ...(indexed.labelSource !== undefined && { labelSource: indexed.labelSource }),
  };

/** A name without an owner in ENSv1. */
export const noOwners = {
  registryOwner: null,
  registrarOwner: null,
  wrapperOwner: null,
  isWrapped: false,
  wrapperFuses: null,
  wrapperExpiryTimestamp: null,
} as const;
