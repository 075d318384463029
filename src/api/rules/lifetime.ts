import {
  all,
  any,
  atLeast,
  type ColumnValue,
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

/** What the rules take from a deployment with ENSv2. */
export type Ensv2Terms = {
  /** Seconds after the expiry of a .eth name in which it can still be renewed. */
  graceSeconds: number;
  /** Seconds after its grace in which it has a premium. */
  premiumSeconds: number;
  /** Contracts that can hold names of ENSv1 and are not their owners, in lower case. */
  nonOwners: ReadonlySet<string>;
};

/**
 * The bounds of ENSv2's registrar: a name has expired once now >= expiry (PermissionedRegistry), can be registered again
 * at exactly the end of its grace, and has no premium any more at exactly the premium's end (ETHRegistrar).
 */
const stagesOfEnsv2 = ({ graceSeconds, premiumSeconds }: Ensv2Terms): readonly Stage[] => [
  registered,
  { phase: "grace", lasts: [">", -BigInt(graceSeconds)] },
  { phase: "premium", lasts: [">", -BigInt(graceSeconds + premiumSeconds)] },
  { phase: "ended" },
];

type LifeColumn = RegistrarColumn | "expiryTimestamp" | "registry" | "effectiveOwnerAddress";
type Rule = Condition<LifeColumn>;

/** Rule: an entry of ENSv2 answers for the name. */
export const isEnsv2 = isPresent("registry");

const phasesByCondition = new WeakMap<Condition, readonly Phase[]>();

/** The phases of a condition that `inPhase` made: tables of counts have the phase itself, and no expiry. */
export const phasesOf = (condition: Condition): readonly Phase[] | undefined =>
  phasesByCondition.get(condition);

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

/** Names of registrars of ENSv1: one range for all of them, where the premium makes no difference. */
function inPhaseOfEnsv1(wanted: readonly Phase[]): Rule[] {
  const ranges = rangesOf(stagesWithPremium, wanted);
  if (wanted.includes("premium") === wanted.includes("ended")) {
    return ranges.map((range) => all<LifeColumn>(registrarName, range));
  }
  return [
    ...ranges.map((range) => all<LifeColumn>(withPremium, range)),
    ...rangesOf(stagesWithoutPremium, wanted).map((range) => all<LifeColumn>(withoutPremium, range)),
  ];
}

/** Some phases of other names have the same bounds as those of registrars. */
const isSameForAll = (wanted: readonly Phase[]): boolean =>
  wanted.every((phase) => phase === "unlimited" || phase === "registered");

/** Rules that make the conditions for phases with an end, where there is no ENSv2. */
function datedOfEnsv1(wanted: readonly Phase[]): Rule[] {
  const ofOthers = rangesOf(otherStages, wanted);
  if (isSameForAll(wanted)) return ofOthers;
  return [...inPhaseOfEnsv1(wanted), ...ofOthers.map((range) => all<LifeColumn>(not(registrarName), range))];
}

/** The rules that differ where there is ENSv2. */
type Lives = {
  owned: Rule;
  /** The rules for names with other stages than in ENSv1. */
  other: { ofEnsv2: Rule; retired: Rule } | null;
  lost: (inPhase: InPhase) => Rule;
  dated: (wanted: readonly Phase[]) => Rule[];
  stagesOf: (life: Readonly<Record<LifeColumn, ColumnValue>>) => readonly Stage[];
};

type InPhase = (...wanted: Phase[]) => Rule;

const lostByRegistrar = (inPhase: InPhase): Rule =>
  all(registrarName, inPhase("unlimited", "premium", "ended"));

const livesOfEnsv1: Lives = {
  owned: isPresent("effectiveOwnerAddress"),
  other: null,
  lost: lostByRegistrar,
  dated: datedOfEnsv1,
  stagesOf: (life) => {
    if (holds(withPremium, life, 0n)) return stagesWithPremium;
    return holds(withoutPremium, life, 0n) ? stagesWithoutPremium : otherStages;
  },
};

/**
 * Names of ENSv1 keep their rules: a reservation in ENSv2 ends its grace and its premium on the same second as ENSv1
 * does. What a graveyard holds in ENSv1 was retired, with an expiry near 2^64: anyone can register it in ENSv2.
 */
function livesOfBoth(terms: Ensv2Terms): Lives {
  const isOfNonOwner: Rule = any(
    ...[...terms.nonOwners].sort().map((one) => equals<LifeColumn>("effectiveOwnerAddress", one)),
  );
  const isEth = equals<LifeColumn>("parentNode", ETH_NODE);
  const ofEnsv2: Rule = all(isEth, isEnsv2);
  const retired: Rule = all(isEth, not(isEnsv2), isPresent("expiryTimestamp"), isOfNonOwner);
  const stages = stagesOfEnsv2(terms);
  const isOfEnsv1: Rule = all(not(ofEnsv2), not(retired));
  return {
    owned: all(livesOfEnsv1.owned, not(isOfNonOwner)),
    other: { ofEnsv2, retired },
    lost: (inPhase) =>
      any(lostByRegistrar(inPhase), all<LifeColumn>(isEnsv2, not(registrarName), inPhase("over"))),
    dated: (wanted) => {
      if (isSameForAll(wanted)) return datedOfEnsv1(wanted).map((rule) => all(rule, not(retired)));
      return [
        ...datedOfEnsv1(wanted).map((rule) => all(isOfEnsv1, rule)),
        ...rangesOf(stages, wanted).map((range) => all<LifeColumn>(ofEnsv2, range)),
        ...(wanted.includes("ended") ? [retired] : []),
      ];
    },
    stagesOf: (life) => {
      if (holds(retired, life, 0n)) return [];
      return holds(ofEnsv2, life, 0n) ? stages : livesOfEnsv1.stagesOf(life);
    },
  };
}

/** The ends in the life of a name: of its registration, of its grace, of its premium. */
export type LifeEnd = { phase: Phase; at: bigint };

/** The rules of a name's life in a deployment. */
export type LifeRules = ReturnType<typeof rulesOf>;

function rulesOf({ owned, other, lost, dated, stagesOf }: Lives, terms?: Ensv2Terms) {
  const inPhase = (...wanted: Phase[]): Rule => {
    const unlimited = wanted.includes("unlimited") ? [not(isPresent<LifeColumn>("expiryTimestamp"))] : [];
    const condition = any(...unlimited, ...dated(wanted));
    phasesByCondition.set(condition, wanted);
    return condition;
  };
  return {
    terms,
    /** Rule: the name has an owner. A contract of {@link Ensv2Terms} `nonOwners` is none. */
    owned,
    /**
     * Rules, where there is ENSv2: `ofEnsv2`: a .eth name of ENSv2. `retired`: one that a graveyard holds in ENSv1, whose
     * expiry there says nothing.
     */
    other,
    /** Rule: the name is in one of these phases. */
    inPhase,
    /**
     * Rule: registered or in grace. A registrar's names until their grace ends, others until their expiry, names without
     * expiry always; but a second-level name that is in no registrar is not active, even if the registry has an owner:
     * anyone can register it.
     */
    active: any(inPhase("registered", "grace"), all<LifeColumn>(inPhase("unlimited"), not(registrarName))),
    /** Rule: ended for good. A registrar's names at the end of their grace, others at their expiry. */
    expired: inPhase("premium", "ended", "over"),
    /**
     * Rule: a registrar's name whose last holder can no longer renew it, or a subname of ENSv2 past its expiry. Other names
     * stay their owner's after an expiry, or pass to the NameWrapper, which the effective owner then shows.
     */
    lost: lost(inPhase),
    /**
     * Rules: the availability of a name; `unknown` if none holds, since the index cannot tell. A registrar's names that
     * were never registered are available from three code points on.
     */
    availability: {
      registered: any<LifeColumn>(
        all<LifeColumn>(registrarName, inPhase("registered")),
        all<LifeColumn>(not(registrarName), owned, inPhase("registered", "unlimited")),
      ),
      grace: inPhase("grace"),
      premium: inPhase("premium"),
      available: any<LifeColumn | "labelLength">(
        inPhase("ended"),
        all<LifeColumn | "labelLength">(
          registrarName,
          inPhase("unlimited"),
          atLeast("labelLength", SHORTEST_LABEL),
        ),
      ),
    },
    /** When the phases of a name end, in order: each with the first second at which it is over. None without an expiry. */
    endsOfPhases: (life: EndingLife): LifeEnd[] => {
      const { expiryTimestamp } = life;
      if (expiryTimestamp === null) return [];
      return stagesOf({ ...ofEnsv1, ...life }).flatMap(({ phase, lasts }) => {
        if (lasts === undefined || (phase === "premium" && life.isUnseen)) return [];
        const [operator, seconds] = lasts;
        return [{ phase, at: expiryTimestamp - seconds + (operator === ">=" ? 1n : 0n) }];
      });
    },
  };
}

/** The rules where there is no ENSv2. */
export const lifeOfEnsv1: LifeRules = rulesOf(livesOfEnsv1);

/** Rule: a registrar's name of ENSv1 whose time to renew is over, though its last holder had it. */
export const pastGrace = all(registrarName, lifeOfEnsv1.inPhase("premium", "ended")) as Condition<
  RegistrarColumn | "expiryTimestamp"
>;

const made = new WeakMap<Ensv2Terms, LifeRules>();

/** The rules of a deployment: they are made once for each. */
export function lifeOf(terms: Ensv2Terms | undefined): LifeRules {
  if (terms === undefined) return lifeOfEnsv1;
  const known = made.get(terms);
  if (known !== undefined) return known;
  const rules = rulesOf(livesOfBoth(terms), terms);
  made.set(terms, rules);
  return rules;
}

/** Rule: registered, and expiring within some days. */
export const expiringWithin = (days: number): Condition<"expiryTimestamp"> =>
  all(time("expiryTimestamp", ">"), time("expiryTimestamp", "<=", BigInt(days * DAY)));

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
  /** The registry of ENSv2 whose entry answers for the name; null where ENSv1 does. */
  registry?: string | null;
  /** A .eth name of ENSv1 that ENSv2's registry never saw, while its registrar is open: it has no premium. */
  isUnseen?: boolean;
};

/** What decides when a name ends. */
export type EndingLife = Pick<
  Lifetime,
  "chainId" | "parentNode" | "expiryTimestamp" | "registry" | "isUnseen"
> & { effectiveOwnerAddress?: string | null };

/** A row that says nothing of ENSv2, or of its owner. */
const ofEnsv1 = { registry: null, effectiveOwnerAddress: null };

/** When the phases of a name end, by the rules of a deployment. */
export const endsOfPhases = (life: EndingLife, rules: LifeRules = lifeOfEnsv1): LifeEnd[] =>
  rules.endsOfPhases(life);

/** The state of a name that is in the index. */
export function availabilityOf(
  life: Lifetime,
  now: number,
  { availability }: LifeRules = lifeOfEnsv1,
): Availability {
  const state = availabilities.find(
    (one) => one !== "unknown" && holds(availability[one], { ...ofEnsv1, ...life }, BigInt(now)),
  );
  return state === "premium" && life.isUnseen ? "available" : (state ?? "unknown");
}

/** The state of a registrar's name that was never registered; the length is null for unknown labels. */
export const neverRegistered = (labelLength: number | null): Availability =>
  availabilityOf(
    { chainId: 0, parentNode: ETH_NODE, expiryTimestamp: null, labelLength, effectiveOwnerAddress: null },
    0,
  );
