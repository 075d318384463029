import { holds } from "../../../ens/condition.ts";
import { ETH_NODE } from "../../../ens/name.ts";
import { type LifeRules, lifeOfEnsv1 } from "./life.ts";
import { type Availability, availabilities } from "./stages.ts";

/** The columns that decide a name's availability, and when it ends. */
export type Lifetime = {
  chainId: number;
  parentNode: string | null;
  /** The registrar's for its names, the wrapper's for wrapped subnames, the entry's for names of ENSv2. */
  expiryTimestamp: bigint | null;
  labelLength: number | null;
  effectiveOwnerAddress: string | null;
  /** The registry of ENSv2 whose entry answers for the name; null where ENSv1 does. */
  registry: string | null;
  /** When the way to a name of ENSv2 ends; null where nothing above it does. */
  pathExpiryTimestamp: bigint | null;
  /** Wrapped as stored, and the NameWrapper's fuses as stored. */
  isWrapped: boolean;
  wrapperFuses: number | null;
  /** A .eth name of ENSv1 that ENSv2's registry never saw, while its registrar is open: it has no premium. */
  isUnseen: boolean;
};

/** What a row of ENSv1 says nothing of, and one of the index nothing of `isUnseen`. */
type Unsaid =
  | "registry"
  | "pathExpiryTimestamp"
  | "isUnseen"
  | "effectiveOwnerAddress"
  | "isWrapped"
  | "wrapperFuses";

/** Known facts about a name. Missing facts are those of ENSv1. */
export type KnownLife = Omit<Lifetime, Unsaid | "labelLength"> & Partial<Pick<Lifetime, Unsaid>>;

/**
 * All that decides a name's life, and no more: states have some thirty fields, and batches read thousands of them. The label's
 * length is null where it is not said.
 */
export const asLife = (known: KnownLife & Partial<Pick<Lifetime, "labelLength">>): Lifetime => ({
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

/** The state of a name that is in the index. */
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

/** The state of a registrar's name that was never registered; the length is null for unknown labels. */
export const neverRegistered = (labelLength: number | null): Availability =>
  availabilityOf({ chainId: 0, parentNode: ETH_NODE, expiryTimestamp: null, labelLength }, 0);
