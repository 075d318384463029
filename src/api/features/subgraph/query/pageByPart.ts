import type { Env } from "../table/entity.ts";
import {
  boundsOf,
  countLookedAt,
  isInSpan,
  isRarePart,
  isSoonFull,
  MAX_ALL,
  partsIn,
  spanOf,
} from "./byPart.ts";
import type { Raw } from "./columns.ts";
import type { ListArguments } from "./listArguments.ts";
import { whole } from "./order.ts";
import type { EntityPlan } from "./plan.ts";
import type { Reader, Way } from "./read.ts";
import { beginningStatement, countOfSome, listStatement, someStatement } from "./statement.ts";

/** The rows of a page of names with a part; null where it is not found in less time than by reading all of them. */
export const pageByPart = async (
  reader: Reader,
  way: Way,
  plan: EntityPlan,
  list: ListArguments,
): Promise<Raw[] | null> =>
  (await readSoonFull(way, plan, list)) ??
  (await readIfFew(way, plan, list)) ??
  (await readOfSpan(reader, way, plan, list));

/** The rows of a page that is full soon; null of others. */
async function readSoonFull(
  { rows, env }: Way,
  plan: EntityPlan,
  list: ListArguments,
): Promise<Raw[] | null> {
  if (env.reading === undefined || !isSoonFull(list, plan.entity, env)) return null;
  const looked = { count: countLookedAt(list), bounds: boundsOf(list, plan.entity) };
  return fullPage(list, await rows(beginningStatement(plan, list, whole(env), looked)));
}

/** The rows of a page where few names have a part; null where many may have it. */
async function readIfFew({ rows, env }: Way, plan: EntityPlan, list: ListArguments): Promise<Raw[] | null> {
  if (env.reading !== "found" || env.hidesValues || !isRarePart(list)) return null;
  const found = await rows(someStatement(plan, list, env, { count: MAX_ALL, by: partsIn(list) }));
  return (countOfSome(found) ?? MAX_ALL) < MAX_ALL ? found : null;
}

/** The rows of a page that is full of names in a part of its order, found by a part of them; null of others. */
async function readOfSpan(
  { spread }: Reader,
  { rows, env }: Way,
  plan: EntityPlan,
  list: ListArguments,
): Promise<Raw[] | null> {
  if (env.reading !== "found" || env.hidesValues) return null;
  const span = spanOf(list, plan.entity, await spread());
  if (span === null) return null;
  const hidden: Env = { ...env, hidesParts: true };
  return fullPage(list, await rows(listStatement(plan, list, hidden, (of) => [...isInSpan(list, span, of)])));
}

const fullPage = ({ first }: ListArguments, found: Raw[]): Raw[] | null =>
  found.length === first ? found : null;
