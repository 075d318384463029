import { type Entity, idOf } from "../table/entity.ts";
import type { Raw } from "./columns.ts";
import { type Filter, isBoundOf, partsOf } from "./filter.ts";
import type { ListArguments } from "./listArguments.ts";
import { isOrderOfIndex, whole } from "./order.ts";
import type { EntityPlan } from "./plan.ts";
import type { Reader } from "./reader.ts";
import { beginningStatement } from "./statement.ts";
import { hasTrigrams, isFrequentPart } from "./textFilters.ts";

/*
 * Lists of names by a part of them. PostgreSQL cannot know how many names have a part. A part of a few letters can be in very many:
 * then the first names of the order fill the page, so these are looked at first. Else all names with the part are read and sorted.
 */

/** Names that are looked at in the order of the list: for each of a page, at least, and at most. */
const LOOKED_AT = { each: 40, least: 500, most: 3_000 };

/** Names of a page for which it is worth it. */
const MAX_PAGE = 200;

/** Whether all entities of a filter have a text that passes a test. */
function hasText(filter: Filter, test: typeof isFrequentPart): boolean {
  if (filter.kind === "and") return filter.of.some((one) => hasText(one, test));
  if (filter.kind !== "field" || filter.field.kind !== "scalar") return false;
  const { field, suffix, values } = filter;
  return field.stored !== undefined && test({ suffix, text: String(values[0]) });
}

/** Whether the names of a list are found by trigrams. */
export const isFoundByPart = ({ filter }: ListArguments): boolean => hasText(filter, hasTrigrams);

/** How many names are looked at: without trigrams there is no better way than by many. */
const countLookedAt = (list: ListArguments): number =>
  isFoundByPart(list)
    ? Math.min(LOOKED_AT.most, Math.max(LOOKED_AT.least, (list.first + list.skip) * LOOKED_AT.each))
    : LOOKED_AT.most;

/** What a filter says of the field that a list is ordered by: the index of the order begins there. */
function boundsOf({ order, filter }: ListArguments, entity: Entity): Filter {
  const field = order?.kind === "own" ? order.field : idOf(entity);
  return { kind: "and", of: partsOf(filter).filter((one) => isBoundOf(one, field)) };
}

/** The rows of a page that the first names of its order fill; null of others. */
export async function readSoonFull(
  { rows, env }: Reader,
  plan: EntityPlan,
  list: ListArguments,
): Promise<Raw[] | null> {
  const maySoonBeFull =
    env.reading !== undefined &&
    list.first + list.skip <= MAX_PAGE &&
    hasText(list.filter, isFrequentPart) &&
    isOrderOfIndex(list, plan.entity, env);
  if (!maySoonBeFull) return null;
  const looked = { count: countLookedAt(list), bounds: boundsOf(list, plan.entity) };
  const found = await rows(beginningStatement(plan, list, whole(env), looked));
  return found.length === list.first ? found : null;
}
