import { event } from "ponder:schema";
import { sql } from "ponder";
import { sqlOf } from "../../query/scope.ts";
import { type Entity, idOf } from "../table/entity.ts";
import type { Raw } from "./columns.ts";
import type { Filter } from "./filter.ts";
import type { ListArguments } from "./listArguments.ts";
import type { EntityPlan } from "./plan.ts";
import type { Reader } from "./read.ts";
import { blocksStatement } from "./statement.ts";
import { type BlockRange, rangesBeyond, rangesInTextOrder } from "./textOrder.ts";

/*
 * Lists of events in the order of their ids, which no index has: range by range of blocks, in the order of the blocks, until
 * the page is full. Where a filter leads to few events, these are found by it and sorted.
 */

const cursors = { asc: ["gt", "gte"], desc: ["lt", "lte"] } as const;
const ordered: readonly string[] = ["not", ...cursors.asc, ...cursors.desc];

/** Whether a filter says no more than after which id, or in which blocks, the events are. */
function isWide(entity: Entity, filter: Filter): boolean {
  switch (filter.kind) {
    case "and":
    case "or":
      return filter.of.every((one) => isWide(entity, one));
    case "changed":
    case "existed":
      return true;
    case "child":
      return false;
    case "field":
      return (
        (filter.field === idOf(entity) || filter.field === entity.fields.blockNumber) &&
        ordered.includes(filter.suffix)
      );
  }
}

/** Whether events are read range by range. */
export const isReadByRanges = ({ entity }: EntityPlan, { order, filter }: ListArguments): boolean =>
  entity.isLog === true &&
  (order === null || (order.kind === "own" && order.field === idOf(entity))) &&
  isWide(entity, filter);

/** The ids after which a page begins, and before which it does in the other direction. */
function cursorsIn(entity: Entity, filter: Filter, direction: "asc" | "desc"): string[] {
  if (filter.kind === "and") return filter.of.flatMap((one) => cursorsIn(entity, one, direction));
  const isCursor =
    filter.kind === "field" &&
    filter.field === idOf(entity) &&
    (cursors[direction] as readonly string[]).includes(filter.suffix);
  return isCursor ? [String(filter.values[0])] : [];
}

/** The rows of a page; null where the chain's blocks are too many ranges. */
export async function readByRanges(
  reader: Reader,
  plan: EntityPlan,
  list: ListArguments,
): Promise<Raw[] | null> {
  const blocks = await blocksWithLogs(reader);
  if (blocks === null) return [];
  const { direction, first, skip } = list;
  const all = rangesInTextOrder(blocks);
  if (all === null) return null;
  const ranges = cursorsIn(plan.entity, list.filter, direction).reduce(
    (left, text) => rangesBeyond(left, { text, direction }),
    direction === "asc" ? all : all.toReversed(),
  );
  const found: Raw[] = [];
  for (const range of ranges) {
    const left = skip + first - found.length;
    if (left <= 0) break;
    const page = { ...list, first: left, skip: 0 };
    found.push(...(await reader.rows(blocksStatement(plan, page, reader.env, range))));
  }
  return found.slice(skip, skip + first);
}

async function blocksWithLogs({ rows, env }: Reader): Promise<BlockRange | null> {
  const end = (word: "min" | "max") =>
    sql`(select ${sql.raw(word)}(${event.blockNumber}) from ${event} where ${sqlOf(env.chains).holds(event.chainId)})`;
  const [ends] = await rows(sql`select ${end("min")} as first, ${end("max")} as last`);
  return ends?.first === null || ends === undefined
    ? null
    : { from: Number(ends.first), to: Number(ends.last) };
}
