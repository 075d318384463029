import { PARENT_CANNOT_CONTROL } from "../../../ens/wrapper.ts";

/** Which system's state of a name is in force. */
export type Protocol = "ensv1" | "ensv2";

/** What decides it, of a name's way through ENSv2. */
export type WayFacts = {
  /** The name's own entry; null if it, or an entry above it, is missing or expired. */
  entry: { isRegistered: boolean } | null;
  /** Whether an entry above the name, below the top-level domain, was ever registered. */
  isBelowRegistered: boolean;
  /** Whether an entry of ENSv2 answered for the name before, which its way does not lead to any more. */
  wasRegistered: boolean;
  /** Whether the name, or one above it, is a wrapped name of ENSv1 that its wrapper registry leaves to ENSv1. */
  isLeftToEnsv1: boolean;
};

/**
 * The system that answers for a name. Once registered in ENSv2, a name never returns to ENSv1, whatever ENSv1 holds. A
 * reservation leaves the name to ENSv1. Below a registered name, what ENSv1 holds is history.
 * Source: ensdomains/contracts-v2, docs/migration.md; src/migration/WrapperRegistry.sol.
 */
export function protocolOf(way: WayFacts): Protocol {
  const { entry, isBelowRegistered, wasRegistered, isLeftToEnsv1 } = way;
  if (entry?.isRegistered || wasRegistered) return "ensv2";
  if (isLeftToEnsv1) return "ensv1";
  return isBelowRegistered ? "ensv2" : "ensv1";
}

/** Fuse of .eth second-level names in the NameWrapper. Source: ens-contracts, contracts/wrapper/INameWrapper.sol. */
const IS_DOT_ETH = 131_072;

/** What ENSv1 holds of a name. */
export type OfEnsv1 = {
  registryOwner: string | null;
  wrapperFuses: number | null;
  wrapperExpiryTimestamp: bigint | null;
};

/**
 * Whether a wrapper registry without entry of a label leaves the name to ENSv1: its parent gave up control of it, and it
 * was not migrated yet. Source: ensdomains/contracts-v2, src/registry/WrapperRegistry.sol, `getResolver`.
 */
export function isMigratable(name: OfEnsv1 | undefined, now: number): boolean {
  if (!name?.registryOwner || name.wrapperExpiryTimestamp === null) return false;
  const fuses = name.wrapperExpiryTimestamp < BigInt(now) ? 0 : (name.wrapperFuses ?? 0);
  return (fuses & PARENT_CANNOT_CONTROL) !== 0 && (fuses & IS_DOT_ETH) === 0;
}
