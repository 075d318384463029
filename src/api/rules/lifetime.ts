import {
  all,
  any,
  atLeast,
  type Condition,
  equals,
  holds,
  isPresent,
  not,
  type TimeOperator,
  time,
} from "../../ens/condition.ts";
import { ADDR_REVERSE_NODE, ETH_NODE, ROOT_NODE } from "../../ens/name.ts";
import { GRACE_PERIOD } from "../../ens/wrapper.ts";

/** Seconds of a day. */
export const DAY = 86_400;

/** Seconds after its expiry at which a .eth name has no premium any more: 21 days after its grace period. */
const PREMIUM_END = BigInt(111 * DAY);

/** The controllers sell .eth labels of at least this many code points. */
const SHORTEST_LABEL = 3;

/** Rule: a name right under .eth. The registrar keeps its expiry. */
export const ethName = equals("parentNode", ETH_NODE);

/** Rule: any node but the root, which has no name. */
export const name = not(equals("node", ROOT_NODE));

/**
 * Rule: a name that counts as held by people: not the root, and not `<address>.addr.reverse`, which an address gets for
 * setting a primary name.
 */
export const counted = all(name, not(equals("parentNode", ADDR_REVERSE_NODE)));

/** Rule: the name has an owner. */
export const owned = isPresent("effectiveOwnerAddress");

/**
 * The phases of a name's life. `unlimited` names have no expiry, and .eth names without one were never registered; only
 * .eth names pass through `grace`, `premium` and `ended`; other names are `over` at their expiry.
 */
export const phases = ["unlimited", "registered", "grace", "premium", "ended", "over"] as const;

export type Phase = (typeof phases)[number];

/** A phase lasts while the expiry compares so with now; the last phase of a line has no end. */
type Stage = { phase: Phase; lasts?: [TimeOperator, bigint] };

/**
 * The contracts' bounds: `ownerOf` needs expiry > now, `renew` allows expiry + 90 days >= now
 * (BaseRegistrarImplementation), and the premium of the price oracle reaches 0 at exactly expiry + 111 days
 * (ExponentialPremiumPriceOracle).
 */
const registered: Stage = { phase: "registered", lasts: [">", 0n] };
const ethStages: readonly Stage[] = [
  registered,
  { phase: "grace", lasts: [">=", -GRACE_PERIOD] },
  { phase: "premium", lasts: [">", -PREMIUM_END] },
  { phase: "ended" },
];
const otherStages: readonly Stage[] = [registered, { phase: "over" }];

type LifeColumn = "parentNode" | "expiryTimestamp";

const phasesByCondition = new WeakMap<Condition, readonly Phase[]>();

/** The phases of a condition that {@link inPhase} made: tables of counts have the phase itself, and no expiry. */
export const phasesOf = (condition: Condition): readonly Phase[] | undefined =>
  phasesByCondition.get(condition);

/** Rule: the name is in one of these phases. */
export function inPhase(...wanted: Phase[]): Condition<LifeColumn> {
  const unlimited = wanted.includes("unlimited") ? [not(isPresent("expiryTimestamp"))] : [];
  const ofEth = rangesOf(ethStages, wanted);
  const ofOthers = rangesOf(otherStages, wanted);
  const isSameForAll = wanted.every((phase) => phase === "unlimited" || phase === "registered");
  const dated: Condition<LifeColumn>[] = isSameForAll
    ? ofEth
    : [...ofEth.map((range) => all(ethName, range)), ...ofOthers.map((range) => all(not(ethName), range))];
  const condition = any(...unlimited, ...dated);
  phasesByCondition.set(condition, wanted);
  return condition;
}

/** The ranges of expiries that put a name into one of these phases; phases that follow each other are one range. */
function rangesOf(stages: readonly Stage[], wanted: readonly Phase[]): Condition<"expiryTimestamp">[] {
  const isIn = stages.map(({ phase }) => wanted.includes(phase));
  const lasts = stages.filter((_, i) => isIn[i] && !isIn[i + 1]);
  const before = stages.flatMap((_, i) => (isIn[i] && !isIn[i - 1] ? [stages[i - 1]] : []));
  return lasts.map((last, i) => rangeOf(before[i], last));
}

const opposite = { "<": ">=", "<=": ">", ">": "<=", ">=": "<" } as const;

function rangeOf(before: Stage | undefined, last: Stage): Condition<"expiryTimestamp"> {
  const bounds: Condition<"expiryTimestamp">[] = [];
  if (last.lasts) bounds.push(time("expiryTimestamp", ...last.lasts));
  if (before?.lasts) {
    const [operator, seconds] = before.lasts;
    bounds.push(time("expiryTimestamp", opposite[operator], seconds));
  }
  return all(...bounds);
}

/** The ends in the life of a name: of its registration, of its grace, of its premium. */
export type LifeEnd = { phase: Phase; at: bigint };

/** When the phases of a name end, in order: each with the first second at which it is over. None without an expiry. */
export function endsOfPhases({ parentNode, expiryTimestamp }: Pick<Lifetime, LifeColumn>): LifeEnd[] {
  if (expiryTimestamp === null) return [];
  return (parentNode === ETH_NODE ? ethStages : otherStages).flatMap(({ phase, lasts }) => {
    if (lasts === undefined) return [];
    const [operator, seconds] = lasts;
    return [{ phase, at: expiryTimestamp - seconds + (operator === ">=" ? 1n : 0n) }];
  });
}

/**
 * Rule: registered or in grace. .eth names until 90 days after their expiry, others until it, names without expiry
 * always; but a .eth name that is in no registrar is not active, even if the registry has an owner: anyone can
 * register it.
 */
export const active = any(inPhase("registered", "grace"), all(inPhase("unlimited"), not(ethName)));

/** Rule: ended for good. .eth names 90 days after their expiry, others at it. */
export const expired = inPhase("premium", "ended", "over");

/** Rule: a .eth name whose time to renew is over, though its last holder had it. */
export const pastGrace: Condition<LifeColumn> = all(ethName, inPhase("premium", "ended"));

/**
 * Rule: a .eth name whose last holder can no longer renew it. Other names stay their owner's after an expiry, or pass
 * to the NameWrapper, which the effective owner then shows.
 */
export const lost = all(ethName, inPhase("unlimited", "premium", "ended"));

/** Rule: registered, and expiring within some days. */
export const expiringWithin = (days: number): Condition<"expiryTimestamp"> =>
  all(time("expiryTimestamp", ">"), time("expiryTimestamp", "<=", BigInt(days * DAY)));

/**
 * Rules: the availability of a name; `unknown` if none holds, since the index cannot tell. .eth names that were never
 * registered are available from three code points on.
 */
export const availabilityRules = {
  registered: any(
    all(ethName, inPhase("registered")),
    all(not(ethName), owned, inPhase("registered", "unlimited")),
  ),
  grace: inPhase("grace"),
  premium: inPhase("premium"),
  available: any(
    inPhase("ended"),
    all(ethName, inPhase("unlimited"), atLeast("labelLength", SHORTEST_LABEL)),
  ),
} as const;

/** A name's state at a time; `unknown` if the index cannot tell. */
export const availabilities = ["registered", "grace", "premium", "available", "unknown"] as const;

export type Availability = (typeof availabilities)[number];

/** A state that can be searched for. */
export type KnownAvailability = Exclude<Availability, "unknown">;

/**
 * The columns that decide a name's availability. `expiryTimestamp`: the registrar's for .eth names, the wrapper's for
 * wrapped subnames.
 */
export type Lifetime = {
  parentNode: string | null;
  expiryTimestamp: bigint | null;
  labelLength: number | null;
  effectiveOwnerAddress: string | null;
};

/** The state of a name that is in the index. */
export const availabilityOf = (life: Lifetime, now: number): Availability =>
  availabilities.find((state) => state !== "unknown" && holds(availabilityRules[state], life, BigInt(now))) ??
  "unknown";

/** The state of a .eth second-level name that was never registered; the length is null for unknown labels. */
export const neverRegistered = (labelLength: number | null): Availability =>
  availabilityOf(
    { parentNode: ETH_NODE, expiryTimestamp: null, labelLength, effectiveOwnerAddress: null },
    0,
  );
