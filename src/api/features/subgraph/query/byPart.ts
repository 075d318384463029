import type { SQL } from "drizzle-orm";
import { sql } from "ponder";
import type { Entity, Env, Relation, ScalarField } from "../table/entity.ts";
import { idOf } from "../table/entity.ts";
import { type Filter, isBoundOf, partsOf } from "./filter.ts";
import type { ListArguments } from "./listArguments.ts";
import { isOrderOfIndex, type Of } from "./order.ts";
import { type Span, spanOfHex, spanOfTexts } from "./span.ts";
import type { Spread } from "./spread.ts";
import { hasTrigrams, isFrequentPart } from "./textFilters.ts";

/*
 * Lists of names by a part of them, in the order of an index. PostgreSQL cannot know how many names have a part. If very many have
 * it, the page is full of the first names of the order. If thousands have it, the page is full of the names in the first hundredth
 * or so of the order: one index has where the names with the part are, another one where those of the hundredth are, and only
 * the rows in both are read. Else all names with the part are read, and sorted: they are some hundred. Of these ways each is tried
 * after the other, the most likely one first: of a part of more than three letters the last one.
 */

/** Names that are looked at in the order of the list: for each of a page, at least, and at most. */
const LOOKED_AT = { each: 40, least: 500, most: 3_000 };

/** Names that are read of those with a longer part, to know whether they are all. */
export const MAX_ALL = 1_300;

/** Names of a page for which it is worth it. */
const MAX_PAGE = 200;

/** The share of all names that is looked through for each of a page, and at most. */
const SHARE = { each: 1 / 1_280, most: 1 / 16 };

type Test = Parameters<typeof isFrequentPart>[0];

/** Whether all entities of a filter have a text that passes a test; of one field, if it is said which. */
function hasText(filter: Filter, test: (text: Test) => boolean, only?: ScalarField): boolean {
  if (filter.kind === "and") return filter.of.some((one) => hasText(one, test, only));
  if (filter.kind !== "field" || filter.field.kind !== "scalar") return false;
  const { field, suffix, values } = filter;
  if (only !== undefined && only !== field) return false;
  return field.stored !== undefined && test({ suffix, text: String(values[0]) });
}

const isSmall = ({ first, skip }: ListArguments): boolean => first + skip <= MAX_PAGE;

/** Whether a page can be full soon, because its names have a part that is frequent. */
export const isSoonFull = (list: ListArguments, entity: Entity, env: Env): boolean =>
  isSmall(list) && hasText(list.filter, isFrequentPart) && isOrderOfIndex(list, entity, env);

/** How many names are looked at for it: without trigrams there is no better way than by many. */
export const countLookedAt = ({ filter, first, skip }: ListArguments): number =>
  hasText(filter, hasTrigrams)
    ? Math.min(LOOKED_AT.most, Math.max(LOOKED_AT.least, (first + skip) * LOOKED_AT.each))
    : LOOKED_AT.most;

const orderOf = ({ order }: ListArguments, entity: Entity): ScalarField | Relation | undefined => {
  if (order === null) return idOf(entity);
  return order.kind === "own" ? order.field : undefined;
};

/** What a filter says of the field that a list is ordered by: the index of the order begins there. */
export function boundsOf(list: ListArguments, entity: Entity): Filter {
  const field = orderOf(list, entity) ?? idOf(entity);
  return { kind: "and", of: partsOf(list.filter).filter((one) => isBoundOf(one, field)) };
}

/** Whether the names of a list are found by trigrams. */
export const isFoundByPart = ({ filter }: ListArguments): boolean => hasText(filter, hasTrigrams);

/**
 * The part of the order in which a page of names with a part is full, if thousands have it; null where no index has the order, or it
 * is not known how names are spread in it.
 */
export function spanOf(list: ListArguments, entity: Entity, spread: Spread): Span | null {
  const field = orderOf(list, entity);
  if (!isSmall(list) || entity.isRowOfDomains !== true || field?.kind !== "scalar") return null;
  const { direction, first, skip, filter } = list;
  const asked = {
    direction,
    starts: startsOf(filter, field, direction),
    share: Math.min(SHARE.most, (first + skip) * SHARE.each),
  };
  if (field === idOf(entity)) return spanOfHex(asked);
  if (field.stored === undefined) return null;
  // Names without the field come first in descending order.
  const areFirst = direction === "desc" && !hasText(filter, hasTrigrams, field);
  return areFirst ? null : spanOfTexts(asked, spread[field.stored.spread]);
}

/** Whether it is likely that few names have a part. */
export const isRarePart = (list: ListArguments): boolean =>
  isSmall(list) && isFoundByPart(list) && !hasText(list.filter, isFrequentPart);

/** What a filter says of parts of names. */
export const partsIn = ({ filter }: ListArguments): Filter => ({
  kind: "and",
  of: partsOf(filter).filter((one) => hasText(one, hasTrigrams)),
});

/** What a filter says of where a list begins. */
const startsOf = (filter: Filter, field: ScalarField, direction: ListArguments["direction"]): string[] =>
  partsOf(filter).flatMap((one) =>
    one.kind === "field" && isBoundOf(one, field) && one.suffix.startsWith(direction === "asc" ? "gt" : "lt")
      ? [String(one.values[0])]
      : [],
  );

/** The condition that a row is in a part of the order, in the form that the order's index has. */
export function isInSpan(list: ListArguments, { from, to }: Span, { row, entity, env }: Of): SQL[] {
  const field = orderOf(list, entity);
  if (field?.kind !== "scalar") throw new Error("Invariant(subgraph): a part of an order without a field");
  const at = field.stored?.inBytes(row) ?? field.value(row, env);
  return [
    ...(from === null ? [] : [sql`${at} >= ${from}::text`]),
    ...(to === null ? [] : [sql`${at} <= ${to}::text`]),
  ];
}
