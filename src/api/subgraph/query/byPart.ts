import { type Entity, type Env, idOf } from "../table/entity.ts";
import { type Filter, isBoundOf, partsOf } from "./filter.ts";
import type { ListArguments } from "./listArguments.ts";
import { isOrderOfIndex } from "./order.ts";
import { hasTrigrams, isFrequentPart } from "./textFilters.ts";

/*
 * Lists of names by a part of them, in the order of an index. PostgreSQL cannot know how many names have a part: where it takes
 * one for frequent that is not, it reads all names in their order. So the first few thousand names in the order are looked at; if
 * a part is frequent, the page is full then. Else the names are found by their trigrams, and sorted.
 */

/** Names that are looked at, in the order of the list. */
export const LOOKED_AT = 3_000;

/** Names of a page for which it is worth it. */
const MAX_PAGE = 200;

type Test = Parameters<typeof isFrequentPart>[0];

/** Whether all entities of a filter have a text that passes a test. */
function hasText(filter: Filter, test: (text: Test) => boolean): boolean {
  if (filter.kind === "and") return filter.of.some((one) => hasText(one, test));
  if (filter.kind !== "field" || filter.field.kind !== "scalar") return false;
  const { field, suffix, values } = filter;
  return field.stored !== undefined && test({ suffix, text: String(values[0]) });
}

/** Whether a page can be full soon, because its names have a part that is frequent. */
export const isSoonFull = (list: ListArguments, entity: Entity, env: Env): boolean =>
  list.first + list.skip <= MAX_PAGE &&
  hasText(list.filter, isFrequentPart) &&
  isOrderOfIndex(list, entity, env);

/** What a filter says of the field that a list is ordered by: the index of the order begins there. */
export function boundsOf({ filter, order }: ListArguments, entity: Entity): Filter {
  const field = order?.kind === "own" ? order.field : idOf(entity);
  return { kind: "and", of: partsOf(filter).filter((one) => isBoundOf(one, field)) };
}

/** Whether the names of a list are found by trigrams. */
export const isFoundByPart = ({ filter }: ListArguments): boolean => hasText(filter, hasTrigrams);
