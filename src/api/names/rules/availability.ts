import { holds } from "../../../ens/condition.ts";
import { ETH_NODE } from "../../../ens/name.ts";
import { type LifeRules, lifeOfEnsv1 } from "./life.ts";
import { type Availability, availabilities } from "./stages.ts";

/** The columns that determine a name's availability, and when it ends. */
export type Lifetime = {
  chainId: number;
  parentNode: string | null;
  /** The registrar's expiry for its names, the wrapper's for wrapped subnames, the entry's for ENSv2 names. */
  expiryTimestamp: bigint | null;
  labelLength: number | null;
  effectiveOwnerAddress: string | null;
  /** The ENSv2 registry whose entry controls the name; null if ENSv1 controls it. */
  registry: string | null;
  /** When the path to an ENSv2 name ends; null if nothing above the name ends. */
  pathExpiryTimestamp: bigint | null;
  /** The stored wrapped state, and the NameWrapper's stored fuses. */
  isWrapped: boolean;
  wrapperFuses: number | null;
  /** An ENSv1 .eth name that the ENSv2 registry never saw, while its registrar is open. Such a name has no premium. */
  isUnseen: boolean;
};

/** Known facts about a name. Missing facts default to those of ENSv1. */
export type KnownLife = Pick<Lifetime, "chainId" | "parentNode" | "expiryTimestamp"> & Partial<Lifetime>;

/**
 * Only the columns that determine a name's life: states have some thirty fields, and batches read thousands of states. The
 * label's length is null if not given.
 */
export const asLife = (known: KnownLife): Lifetime => ({
  chainId: known.chainId,
  parentNode: known.parentNode,
  expiryTimestamp: known.expiryTimestamp,
  labelLength: known.labelLength ?? null,
  effectiveOwnerAddress: known.effectiveOwnerAddress ?? null,
  registry: known.registry ?? null,
  pathExpiryTimestamp: known.pathExpiryTimestamp ?? null,
  isWrapped: known.isWrapped ?? false,
  wrapperFuses: known.wrapperFuses ?? null,
  isUnseen: known.isUnseen ?? false,
});

/** The availability of an indexed name. */
export function availabilityOf(
  life: KnownLife & Pick<Lifetime, "labelLength">,
  now: number,
  { availability }: LifeRules = lifeOfEnsv1,
): Availability {
  const row = asLife(life);
  return (
    availabilities.find((one) => one !== "unknown" && holds(availability[one], row, BigInt(now))) ?? "unknown"
  );
}

/** The availability of a registrar's name that was never registered. The length is null for unknown labels. */
export const neverRegistered = (labelLength: number | null): Availability =>
  availabilityOf({ chainId: 0, parentNode: ETH_NODE, expiryTimestamp: null, labelLength }, 0);
