import { all, any, type Condition, isPresent, isTrue, not } from "../../ens/condition.ts";
import { isHash, type SearchFilters, windowsOf } from "../query/search.ts";
import { isCounted, isEnsv2 } from "../rules/nameRules.ts";
import { wrapped } from "../rules/ownership.ts";
import { isOfShownName } from "../rules/shownNames.ts";
import type { Question, Sort } from "./scan.ts";
import { LAST_TIME, type Test, type Tests } from "./tests.ts";

/** A search, of the names of some chains, at a time in unix seconds. */
export type Search = { filters: SearchFilters; chainIds: readonly number[]; now: number };

/** Filters by what the store does not hold. */
const unknown = ["registrarOwner", "wrapperOwner", "registryOwner", "parent"] as const;

/** A text of two dots can stand where a label that is not known is left out. */
const isTextDecidable = (text: string, isFullName: boolean): boolean =>
  !isHash(text) && !(isFullName && (isOfShownName(text) || text.includes("..")));

const isDecidable = ({ text, isFullName = false, expiryOf, ...others }: SearchFilters): boolean =>
  (!text || isTextDecidable(text, isFullName)) &&
  expiryOf !== "reservation" &&
  unknown.every((filter) => others[filter] === undefined);

/**
 * A search as the store decides it; its texts are still to be put in lower case. Null where a filter is of something else than the
 * store holds, or where it could be wrong: then PostgreSQL counts.
 */
export function questionOf(tests: Tests, { filters, chainIds, now }: Search): Omit<Question, "texts"> | null {
  if (!isDecidable(filters)) return null;
  const times = timesOf(filters);
  if (times === null) return null;
  const where = tests.testOf(ruleOf(tests, filters), now);
  const { expired, expiringWithin } = tests.life;
  const rules: Record<Sort, Condition> = {
    ...{ expired, expiring30d: expiringWithin(30), expiring90d: expiringWithin(90), wrapped },
  };
  const sorts = Object.entries(rules).map(([sort, rule]) => [sort, tests.testOf(rule, now)] as const);
  if (where === null || sorts.some(([, test]) => test === null)) return null;
  return {
    ...{ chainIds, where, resolver: filters.resolver ?? null, times: times ?? null },
    isFullName: filters.isFullName ?? false,
    sorts: Object.fromEntries(sorts) as Record<Sort, Test>,
    length:
      filters.minLength === undefined && filters.maxLength === undefined
        ? null
        : { from: filters.minLength ?? 0, to: filters.maxLength ?? Number.POSITIVE_INFINITY },
  };
}

/** All rules that a name has to meet. */
function ruleOf({ life }: Tests, filters: SearchFilters): Condition {
  const { availability, isWrapped, protocol, expiryOf = "lease" } = filters;
  const rules: Condition[] = [isCounted];
  if (availability !== undefined) rules.push(any(...availability.map((state) => life.availability[state])));
  if (isWrapped !== undefined) rules.push(isWrapped ? wrapped : not(wrapped));
  if (protocol !== undefined) rules.push(protocol === "ensv2" ? isEnsv2 : not(isEnsv2));
  if (windowsOf(filters) === undefined) return all(...rules);
  if (expiryOf === "wrapper") rules.push(isTrue("isWrapped"));
  if (expiryOf === "lease" && life.retired !== null) rules.push(not(life.retired));
  // A time that is not there is in no window.
  return all(...rules, isPresent(columnOf(filters)));
}

const columnOf = ({ expiryOf = "lease" }: SearchFilters) =>
  expiryOf === "wrapper" ? ("wrapperExpiryTimestamp" as const) : ("expiryTimestamp" as const);

/** The windows of a search; undefined where any time will do, null where one ends later than the store can tell. */
function timesOf(filters: SearchFilters): Question["times"] | undefined {
  const windows = windowsOf(filters);
  if (windows === undefined) return undefined;
  const ranges = windows.map(({ from, to }) => ({
    from,
    to: to > LATEST_TO ? Number.POSITIVE_INFINITY : to,
  }));
  const isTold = ranges.every(
    ({ from, to }) => from < LAST_TIME && (to < LAST_TIME || to === Number.POSITIVE_INFINITY),
  );
  return isTold ? { column: columnOf(filters), ranges } : null;
}

/** Later than any time that a caller can give. */
const LATEST_TO = 2 ** 60;
