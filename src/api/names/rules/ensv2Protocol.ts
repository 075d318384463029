import type { Hex } from "viem";
import { PARENT_CANNOT_CONTROL } from "../../../ens/wrapper.ts";

/** The protocol whose state of a name is in force. */
export type Protocol = "ensv1" | "ensv2";

/** The facts from the registry walk that decide the protocol. */
export type WayFacts = {
  /** The name's own entry; null if it, or an entry above it, is missing or expired. */
  entry: { isRegistered: boolean } | null;
  /** True if an entry above the name, below the top-level domain, was ever registered. */
  isBelowRegistered: boolean;
  /** True if an ENSv2 entry to which the path no longer leads once controlled the name. */
  wasRegistered: boolean;
  /** True if the name, or one above it, is a wrapped ENSv1 name that its wrapper registry leaves to ENSv1. */
  isLeftToEnsv1: boolean;
};

/**
 * The protocol that controls a name. Once registered in ENSv2, a name never returns to ENSv1, whatever ENSv1 stores. A
 * reservation leaves the name to ENSv1. Below a registered name, the state in ENSv1 is history.
 * Source: ensdomains/contracts-v2, docs/migration.md; src/migration/WrapperRegistry.sol.
 */
export function protocolOf(way: WayFacts): Protocol {
  const { entry, isBelowRegistered, wasRegistered, isLeftToEnsv1 } = way;
  if (entry?.isRegistered || wasRegistered) return "ensv2";
  if (isLeftToEnsv1) return "ensv1";
  return isBelowRegistered ? "ensv2" : "ensv1";
}

type Start = "registered" | "reserved";

type StartColumns = Record<`${Start}BlockNumber` | `${Start}Timestamp`, number | null> &
  Record<`${Start}TransactionHash`, Hex | null>;

/** When an entry was last registered or reserved; null if it never was, or no log shows it. */
export function startOf(entry: StartColumns, start: Start) {
  const blockNumber = entry[`${start}BlockNumber`];
  const transactionHash = entry[`${start}TransactionHash`];
  if (blockNumber === null || transactionHash === null) return null;
  return { blockNumber, blockTimestamp: entry[`${start}Timestamp`] ?? 0, transactionHash };
}

/** Fuse of .eth second-level names in the NameWrapper. Source: ens-contracts, contracts/wrapper/INameWrapper.sol. */
const IS_DOT_ETH = 131_072;

/** The state of a name in ENSv1. */
export type OfEnsv1 = {
  registryOwner: string | null;
  wrapperFuses: number | null;
  wrapperExpiryTimestamp: bigint | null;
};

/**
 * True if a wrapper registry without an entry for a label leaves the name to ENSv1: its parent gave up control of it, and it was
 * not migrated yet. Source: ensdomains/contracts-v2, src/registry/WrapperRegistry.sol, `getResolver`.
 */
export function isMigratable(name: OfEnsv1 | undefined, now: number): boolean {
  if (!name?.registryOwner || name.wrapperExpiryTimestamp === null) return false;
  const fuses = name.wrapperExpiryTimestamp < BigInt(now) ? 0 : (name.wrapperFuses ?? 0);
  return (fuses & PARENT_CANNOT_CONTROL) !== 0 && (fuses & IS_DOT_ETH) === 0;
}
