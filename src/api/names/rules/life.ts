import { all, any, atLeast, type Condition, isPresent, named, not, time } from "../../../ens/condition.ts";
import {
  decisionIn,
  isOfKinds,
  keyOf,
  kindOf,
  kindsOf,
  type LifeColumn,
  type LifeRow,
  type Rule,
  toRule,
} from "./kinds.ts";
import { isOfNonOwner, isRetired } from "./nameRules.ts";
import { SHORTEST_LABEL } from "./offers.ts";
import { DAY } from "./seconds.ts";
import {
  type Availability,
  type Ensv2Terms,
  type Kind,
  type Life,
  livesIn,
  type Meaning,
  type Phase,
  phases,
  type Stage,
} from "./stages.ts";

/** The conditions derived from the table of stages. */

/** Rule: the path to the name ends within some days; with 0 it has ended. */
export const pathEndsWithin = (days: number) =>
  named("pathEndsWithin", time("pathExpiryTimestamp", "<=", BigInt(days * DAY)), [days]);

const isPathOver = pathEndsWithin(0);

/** Rule: the name has no expiry. */
const isUnlimited = not(isPresent<LifeColumn>("expiryTimestamp"));

/** A state that can be searched for. */
export type KnownAvailability = Exclude<Availability, "unknown">;

/** The rules of a name's life in a deployment. */
export type LifeRules = ReturnType<typeof rulesOf>;

function rulesOf(terms: Ensv2Terms | undefined) {
  const decision = decisionIn(terms);
  const lives = livesIn(terms);
  const present = kindsOf(decision);
  const hasPaths = terms !== undefined;

  /** Rule: the name is in one of these phases. Kinds with the same range of expiries share a condition. */
  const inPhase = (...wanted: readonly Phase[]): Rule => {
    const rangeByKind = new Map<Kind, Rule>(
      present.flatMap((kind) => {
        const range = rangeOf(lives[kind], wanted, { hasPaths });
        return range === null ? [] : [[kind, range] as const];
      }),
    );
    const dated = groupBy([...rangeByKind], ([, range]) => keyOf(range)).map((group) => {
      const [[, range]] = group;
      const ofGroup = new Set(group.map(([kind]) => kind));
      return both(toRule(isOfKinds(decision, (kind) => ofGroup.has(kind)) ?? false), range);
    });
    return named("phase", oneOf(wanted.includes("unlimited") ? [isUnlimited, ...dated] : dated), wanted);
  };

  /** Rule: the name is in a stage with this meaning. Either answer is right for kinds without such a phase. */
  const inStages = (isWanted: (meaning: Meaning) => boolean): Rule => {
    const answers = phases.map((phase) => {
      const answer = isOfKinds(decision, (kind) => {
        const meaning = meaningOf(lives[kind], phase);
        return meaning && isWanted(meaning);
      });
      return { phase, of: toRule(answer ?? false) };
    });
    const met = answers.filter(({ of }) => keyOf(of) !== keyOf(any()));
    return oneOf(
      groupBy(met, ({ of }) => keyOf(of)).map((group) =>
        both(group[0].of, inPhase(...group.map(({ phase }) => phase))),
      ),
    );
  };

  const isOwned = named("isOwned", ownedIn(terms));
  const conditions: Record<NonNullable<Meaning["onlyIf"]>, Condition<LifeColumn | "labelLength">> = {
    isOwned,
    isLongEnough: named("isLongEnough", atLeast("labelLength", SHORTEST_LABEL)),
  };
  /** Rule: the name is in a stage with this meaning, and matches the stage's own condition. */
  const inFull = (isWanted: (meaning: Meaning) => boolean) => {
    const ofStage = (onlyIf: Meaning["onlyIf"]) =>
      inStages((meaning) => isWanted(meaning) && meaning.onlyIf === onlyIf);
    const never = keyOf(any());
    const under = ([undefined, "isOwned", "isLongEnough"] as const).flatMap((onlyIf) => {
      const stages = ofStage(onlyIf);
      if (keyOf(stages) === never) return [];
      return [onlyIf === undefined ? stages : all<LifeColumn | "labelLength">(conditions[onlyIf], stages)];
    });
    return oneOf(under);
  };
  const inState = (state: KnownAvailability) => inFull(({ availability }) => availability === state);
  const inList = (list: Meaning["lists"][number]) => inStages(({ lists }) => lists.includes(list));

  const endsAtExpiry = (kind: Kind) => lives[kind].stages[0]?.until !== undefined;
  const hasEnd = named("hasEnd", toRule(isOfKinds(decision, endsAtExpiry) ?? false));

  return {
    terms,
    /** The life of a name, by its kind. */
    lifeOf: (row: LifeRow): Life => lives[kindOf(decision, row)],
    /** The life of a kind of name. */
    lives,
    inPhase,
    /** Rule: the name has an owner. The contracts in `nonOwners` of {@link Ensv2Terms} do not count. */
    owned: isOwned,
    /** Rule, with ENSv2: an ENSv1 name whose expiry is meaningless. */
    retired: terms === undefined ? null : isRetired(terms.nonOwners),
    /** Rule: the last owner still holds the name. */
    held: inStages(({ isOwners }) => isOwners),
    /** Rule: an expiry of the name ends its registration. A name without expiry may match, too. */
    hasEnd,
    /** Rules: the name is in these lists. */
    active: inList("active"),
    /** The same with the conditions of its stages: its `availability_status` is `registered` or `grace`. */
    registeredOrGrace: inFull(({ lists }) => lists.includes("active")),
    expired: inFull(({ lists }) => lists.includes("expired")),
    lost: inList("lost"),
    /** Rules: the availability of a name; `unknown` if none matches. */
    availability: {
      registered: inState("registered"),
      grace: inState("grace"),
      premium: inState("premium"),
      available: inState("available"),
    } satisfies Record<KnownAvailability, unknown>,
    /** Rule: the name has not ended, and ends within some days. */
    expiringWithin: (days: number): Rule => {
      const isAhead = time("expiryTimestamp", ">");
      const isNear = time("expiryTimestamp", "<=", BigInt(days * DAY));
      if (!hasPaths) return all<LifeColumn>(hasEnd, isAhead, isNear);
      return all<LifeColumn>(hasEnd, isAhead, not(isPathOver), any<LifeColumn>(isNear, pathEndsWithin(days)));
    },
  };
}

const ownedIn = (terms: Ensv2Terms | undefined): Condition<"effectiveOwnerAddress"> => {
  const hasOwner = isPresent("effectiveOwnerAddress");
  return terms === undefined ? hasOwner : all(hasOwner, not(isOfNonOwner(terms.nonOwners)));
};

const meaningOf = ({ unlimited, stages }: Life, phase: Phase): Meaning | undefined =>
  phase === "unlimited" ? unlimited : stages.find((stage) => stage.phase === phase);

/**
 * The expiries that put a name with this life into one of these phases; null if there are none. The path to an ENSv1 name never
 * ends, so its range may include that the path has not ended, and then equals the range of ENSv2 names.
 */
function rangeOf(
  { stages, endsWithPath }: Life,
  wanted: readonly Phase[],
  { hasPaths }: { hasPaths: boolean },
): Rule | null {
  const ranges = runsOf(stages, wanted).map(expiriesOf);
  if (ranges.length === 0) return null;
  const range = oneOf(ranges);
  if (!wanted.includes(stages.at(-1)?.phase as Phase)) return hasPaths ? all(range, not(isPathOver)) : range;
  return endsWithPath
    ? any<LifeColumn>(range, all<LifeColumn>(isPresent("expiryTimestamp"), isPathOver))
    : range;
}

/** Consecutive stages: from the end of the stage before the first to the end of the last. */
type Run = { before: Stage | undefined; last: Stage };

function runsOf(stages: readonly Stage[], wanted: readonly Phase[]): Run[] {
  const isIn = stages.map(({ phase }) => wanted.includes(phase));
  const lasts = stages.filter((_, i) => isIn[i] && !isIn[i + 1]);
  const before = stages.flatMap((_, i) => (isIn[i] && !isIn[i - 1] ? [stages[i - 1]] : []));
  return lasts.map((last, i) => ({ before: before[i], last }));
}

function expiriesOf({ before, last }: Run): Rule {
  const bounds: Rule[] = [];
  if (last.until !== undefined) bounds.push(time("expiryTimestamp", ">", -last.until));
  if (before?.until !== undefined) bounds.push(time("expiryTimestamp", "<=", -before.until));
  return bounds.length === 0 ? isPresent("expiryTimestamp") : all(...bounds);
}

const both = (one: Rule, other: Rule): Rule => (keyOf(one) === keyOf(all()) ? other : all(one, other));

/** Rule: at least one of these rules holds. */
const oneOf = <Column extends string>(rules: readonly Condition<Column>[]): Condition<Column> => {
  const [only] = rules;
  return only !== undefined && rules.length === 1 ? only : any(...rules);
};

/** Groups items by key, in the order of each group's first item. */
const groupBy = <Item>(items: readonly Item[], keyOfItem: (item: Item) => string): [Item, ...Item[]][] =>
  [...Map.groupBy(items, keyOfItem).values()] as [Item, ...Item[]][];

/** The rules without ENSv2. */
export const lifeOfEnsv1: LifeRules = rulesOf(undefined);

const made = new WeakMap<Ensv2Terms, LifeRules>();

/** The rules of a deployment, built once for each. */
export function lifeOf(terms: Ensv2Terms | undefined): LifeRules {
  if (terms === undefined) return lifeOfEnsv1;
  const known = made.get(terms);
  if (known !== undefined) return known;
  const rules = rulesOf(terms);
  made.set(terms, rules);
  return rules;
}
