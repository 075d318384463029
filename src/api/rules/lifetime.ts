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
import { type ManagedName, managedNames, secondLevelOf } from "../../ens/managedNames.ts";
import { ADDR_REVERSE_NODE, ETH_NODE, ROOT_NODE } from "../../ens/name.ts";
import { GRACE_PERIOD } from "../../ens/wrapper.ts";

/** Seconds of a day. */
export const DAY = 86_400;

/** Seconds after its expiry at which a name has no premium any more: 21 days after its grace period. */
const PREMIUM_END = BigInt(111 * DAY);

/** The controllers sell labels of at least this many code points: .eth names, Basenames and Lineanames alike. */
const SHORTEST_LABEL = 3;

type RegistrarColumn = "chainId" | "parentNode";

/**
 * Rule: a second-level name of a registrar, which keeps its expiry: right under .eth, or on a layer 2 right under its
 * managed name.
 */
export const registrarName: Condition<RegistrarColumn> = secondLevelOf(managedNames);

/** Registrars whose names have no premium after their grace. */
const isWithoutPremium = ({ name }: ManagedName) => name === "linea.eth" || name === "linea-sepolia.eth";

/**
 * Rule: a registrar's name with a premium after its grace. It falls by half each day for 21 days, for Basenames as for
 * .eth names. Source: base/basenames, src/L2/ExponentialPremiumPriceOracle.sol, with 21 days in
 * test/Integration/IntegrationTestBase.t.sol; UpgradeableRegistrarController, `_getExpiry` (it begins after grace).
 */
const withPremium = secondLevelOf(managedNames.filter((one) => !isWithoutPremium(one)));

/**
 * Rule: a registrar's name without premium. The controller of Lineanames has an oracle whose premium is 0.
 * Source: Consensys/linea-ens, contracts/ethregistrar/FixedPriceOracle.sol, deployments/lineaMainnet.
 */
const withoutPremium = any<RegistrarColumn>(
  ...managedNames
    .filter(isWithoutPremium)
    .map(({ chainId, node }) => all<RegistrarColumn>(equals("chainId", chainId), equals("parentNode", node))),
);

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
 * The phases of a name's life. `unlimited` names have no expiry, and a registrar's names without one were never
 * registered; only these pass through `grace`, `premium` and `ended`; other names are `over` at their expiry.
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
const grace: Stage = { phase: "grace", lasts: [">=", -GRACE_PERIOD] };
const stagesWithPremium: readonly Stage[] = [
  registered,
  grace,
  { phase: "premium", lasts: [">", -PREMIUM_END] },
  { phase: "ended" },
];
const stagesWithoutPremium: readonly Stage[] = [registered, grace, { phase: "ended" }];
const otherStages: readonly Stage[] = [registered, { phase: "over" }];

type LifeColumn = RegistrarColumn | "expiryTimestamp";

const phasesByCondition = new WeakMap<Condition, readonly Phase[]>();

/** The phases of a condition that {@link inPhase} made: tables of counts have the phase itself, and no expiry. */
export const phasesOf = (condition: Condition): readonly Phase[] | undefined =>
  phasesByCondition.get(condition);

/** Rule: the name is in one of these phases. */
export function inPhase(...wanted: Phase[]): Condition<LifeColumn> {
  const unlimited = wanted.includes("unlimited") ? [not(isPresent("expiryTimestamp"))] : [];
  const ofOthers = rangesOf(otherStages, wanted);
  const isSameForAll = wanted.every((phase) => phase === "unlimited" || phase === "registered");
  const dated: Condition<LifeColumn>[] = isSameForAll
    ? ofOthers
    : [...ofRegistrars(wanted), ...ofOthers.map((range) => all(not(registrarName), range))];
  const condition = any(...unlimited, ...dated);
  phasesByCondition.set(condition, wanted);
  return condition;
}

/** The same for names of registrars: one range for all of them, where the premium makes no difference. */
function ofRegistrars(wanted: readonly Phase[]): Condition<LifeColumn>[] {
  const ranges = rangesOf(stagesWithPremium, wanted);
  if (wanted.includes("premium") === wanted.includes("ended")) {
    return ranges.map((range) => all(registrarName, range));
  }
  return [
    ...ranges.map((range) => all(withPremium, range)),
    ...rangesOf(stagesWithoutPremium, wanted).map((range) => all(withoutPremium, range)),
  ];
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
export function endsOfPhases(life: Pick<Lifetime, LifeColumn>): LifeEnd[] {
  const { expiryTimestamp } = life;
  if (expiryTimestamp === null) return [];
  return stagesOf(life).flatMap(({ phase, lasts }) => {
    if (lasts === undefined) return [];
    const [operator, seconds] = lasts;
    return [{ phase, at: expiryTimestamp - seconds + (operator === ">=" ? 1n : 0n) }];
  });
}

function stagesOf(life: Pick<Lifetime, LifeColumn>): readonly Stage[] {
  if (holds(withPremium, life, 0n)) return stagesWithPremium;
  return holds(withoutPremium, life, 0n) ? stagesWithoutPremium : otherStages;
}

/**
 * Rule: registered or in grace. A registrar's names until 90 days after their expiry, others until it, names without
 * expiry always; but a second-level name that is in no registrar is not active, even if the registry has an owner:
 * anyone can register it.
 */
export const active = any(inPhase("registered", "grace"), all(inPhase("unlimited"), not(registrarName)));

/** Rule: ended for good. A registrar's names 90 days after their expiry, others at it. */
export const expired = inPhase("premium", "ended", "over");

/** Rule: a registrar's name whose time to renew is over, though its last holder had it. */
export const pastGrace: Condition<LifeColumn> = all(registrarName, inPhase("premium", "ended"));

/**
 * Rule: a registrar's name whose last holder can no longer renew it. Other names stay their owner's after an expiry, or
 * pass to the NameWrapper, which the effective owner then shows.
 */
export const lost = all(registrarName, inPhase("unlimited", "premium", "ended"));

/** Rule: registered, and expiring within some days. */
export const expiringWithin = (days: number): Condition<"expiryTimestamp"> =>
  all(time("expiryTimestamp", ">"), time("expiryTimestamp", "<=", BigInt(days * DAY)));

/**
 * Rules: the availability of a name; `unknown` if none holds, since the index cannot tell. A registrar's names that were
 * never registered are available from three code points on.
 */
export const availabilityRules = {
  registered: any(
    all(registrarName, inPhase("registered")),
    all(not(registrarName), owned, inPhase("registered", "unlimited")),
  ),
  grace: inPhase("grace"),
  premium: inPhase("premium"),
  available: any(
    inPhase("ended"),
    all(registrarName, inPhase("unlimited"), atLeast("labelLength", SHORTEST_LABEL)),
  ),
} as const;

/** A name's state at a time; `unknown` if the index cannot tell. */
export const availabilities = ["registered", "grace", "premium", "available", "unknown"] as const;

export type Availability = (typeof availabilities)[number];

/** A state that can be searched for. */
export type KnownAvailability = Exclude<Availability, "unknown">;

/**
 * The columns that decide a name's availability. `expiryTimestamp`: the registrar's for its names, the wrapper's for
 * wrapped subnames.
 */
export type Lifetime = {
  chainId: number;
  parentNode: string | null;
  expiryTimestamp: bigint | null;
  labelLength: number | null;
  effectiveOwnerAddress: string | null;
};

/** The state of a name that is in the index. */
export const availabilityOf = (life: Lifetime, now: number): Availability =>
  availabilities.find((state) => state !== "unknown" && holds(availabilityRules[state], life, BigInt(now))) ??
  "unknown";

/** The state of a registrar's name that was never registered; the length is null for unknown labels. */
export const neverRegistered = (labelLength: number | null): Availability =>
  availabilityOf(
    { chainId: 0, parentNode: ETH_NODE, expiryTimestamp: null, labelLength, effectiveOwnerAddress: null },
    0,
  );
