import type { Address, Hex } from "viem";
import type { StoredOwners } from "../rules/ownership.ts";
import type { ParsedName } from "../schemas/input.ts";
import type { Ensv2State } from "./ensv2/ensv2State.ts";

/** The state of a domain, read from the index or from the chain. */
export type DomainState = StoredOwners & {
  /** Chain of the registry. */
  chainId: number;
  node: Hex;
  parentNode: Hex | null;
  labelhash: Hex | null;
  label: string;
  /** Source of the label's text; null while it is unknown. Read for domain records only. */
  labelSource?: string | null;
  labelLength: number | null;
  fullName: string;
  expiryTimestamp: bigint | null;
  /** When the ENSv2 path to the name expires; null without a path, and for ENSv1 names. */
  pathExpiryTimestamp?: bigint | null;
  resolver: Address | null;
  /** The ENSv2 registry whose entry controls the name; null if ENSv1 controls it. */
  registry: Address | null;
  /** The stored owner; for an ENSv2 name the holder of its token. */
  effectiveOwnerAddress: Address | null;
  /** The ENSv2 part; absent if the deployment has no ENSv2, and for names of a layer 2. */
  ensv2?: Ensv2State;
  /** An ENSv1 .eth name that ENSv2 never saw, while its registrar is open. Such a name has no premium. */
  isUnseen?: boolean;
  /** The name's `display` text record. */
  displayText: string | null;
  /** Only the index has the following fields. They are absent without a row. */
  registeredTimestamp?: number | null;
  createdTimestamp?: number;
  isMigrated?: boolean;
  /** Last holder of an ENSv2 name without an owner, because it or an ancestor expired. */
  lastHolder?: LastHolder | null;
  /** Number of direct subnames; read for domain records, and for lists on request. */
  subnameCount?: number;
};

/** The fields of a state that follow from the name itself. */
export const nameFields = (name: DomainState | ParsedName) => ({
  node: name.node,
  parentNode: name.parentNode,
  labelhash: name.labelhash,
  label: name.label,
  labelLength: name.labelLength,
  fullName: "fullName" in name ? name.fullName : name.name,
});

/** The account that held a name until it expired, and the first second after that. */
export type LastHolder = { address: Address; until: bigint };

/** The fields that only the index has, to add to a state read from the chain. */
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
