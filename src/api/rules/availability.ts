import { GRACE_PERIOD } from "../../ens/wrapper.ts";

/** A name's state by its expiry (unix seconds); `unknown` where the index cannot tell. */
export const availabilities = ["registered", "grace", "premium", "available", "unknown"] as const;

export type Availability = (typeof availabilities)[number];

/** Seconds after its expiry in which the last registrant alone may renew a .eth name: 90 days. */
export const GRACE_SECONDS = GRACE_PERIOD;

/** Seconds after its expiry at which a .eth name costs no premium any more: 21 days after grace. */
export const PREMIUM_END_SECONDS = 111n * 86_400n;

/** Labels of .eth names that the controllers sell have at least so many code points. */
export const SHORTEST_LABEL = 3;

/**
 * State of a registered .eth second-level name. The bounds are the contracts': `ownerOf` needs expiry > now, `renew`
 * allows expiry + 90 d >= now (BaseRegistrarImplementation), and the price oracle's premium reaches 0 at exactly
 * expiry + 111 d (ExponentialPremiumPriceOracle).
 */
export function availabilityAt(expiry: bigint, now: number): Exclude<Availability, "unknown"> {
  const time = BigInt(now);
  if (expiry > time) return "registered";
  if (expiry + GRACE_SECONDS >= time) return "grace";
  if (expiry + PREMIUM_END_SECONDS > time) return "premium";
  return "available";
}

/** The expiries that put a .eth second-level name into a state at a time: `from` and `to` inclusive, null for no bound. */
export function expiryBounds(status: Exclude<Availability, "unknown">, now: number) {
  const time = BigInt(now);
  switch (status) {
    case "registered":
      return { from: time + 1n, to: null };
    case "grace":
      return { from: time - GRACE_SECONDS, to: time };
    case "premium":
      return { from: time - PREMIUM_END_SECONDS + 1n, to: time - GRACE_SECONDS - 1n };
    case "available":
      return { from: null, to: time - PREMIUM_END_SECONDS };
  }
}

/** What decides the state of a name that is in the index. */
export type Lifetime = {
  /** True for names right under .eth. */
  isEthSecondLevel: boolean;
  /** The registrar's expiry of .eth second-level names, the wrapper's of wrapped subnames; null if none. */
  expiry: bigint | null;
  /** Code points of the label; null if the label is unknown. */
  labelLength: number | null;
  hasOwner: boolean;
};

/** The state of any name of the index; .eth names never registered are available from three code points on. */
export function availabilityOf(life: Lifetime, now: number): Availability {
  if (life.isEthSecondLevel) {
    return life.expiry === null ? neverRegistered(life.labelLength) : availabilityAt(life.expiry, now);
  }
  if (!life.hasOwner) return "unknown";
  return life.expiry === null || life.expiry > BigInt(now) ? "registered" : "unknown";
}

/** The state of a .eth second-level name that nobody ever registered. */
export function neverRegistered(labelLength: number | null): Availability {
  return labelLength !== null && labelLength >= SHORTEST_LABEL ? "available" : "unknown";
}
