import { holds } from "../../ens/condition.ts";
import { ETH_NODE } from "../../ens/name.ts";
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
  /** A .eth name of ENSv1 that ENSv2's registry never saw, while its registrar is open: it has no premium. */
  isUnseen: boolean;
};

/** A row that says nothing of ENSv2, or of its owner. */
const ofEnsv1 = { registry: null, pathExpiryTimestamp: null, isUnseen: false, effectiveOwnerAddress: null };

type Unsaid = keyof typeof ofEnsv1;

/** What is known of a name; what it says nothing of is as in ENSv1. */
export type KnownLife = Omit<Lifetime, Unsaid | "labelLength"> & Partial<Pick<Lifetime, Unsaid>>;

/** All that decides a name's life. A row of the index says all of it: it is not copied, because batches read thousands. */
export const asLife = <Known extends KnownLife>(known: Known): Known & Pick<Lifetime, Unsaid> =>
  saysAll(known) ? known : { ...ofEnsv1, ...known };

const unsaid = Object.keys(ofEnsv1) as Unsaid[];

const saysAll = <Known extends KnownLife>(known: Known): known is Known & Pick<Lifetime, Unsaid> =>
  unsaid.every((column) => column in known);

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
