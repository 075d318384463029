import { event } from "ponder:schema";
import { sql } from "ponder";
import { sqlOf } from "../../../names/query/scope.ts";
import { type Entity, idOf } from "../table/entity.ts";
import type { Raw } from "./columns.ts";
import type { Filter } from "./filter.ts";
import type { ListArguments } from "./listArguments.ts";
import { logsStatement, pageOfLogs, spanIn, spanStatement } from "./logsStatement.ts";
import type { EntityPlan } from "./plan.ts";
import type { Reader } from "./reader.ts";
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

type Direction = ListArguments["direction"];

/** An id that a filter names as a bound: `asc` if what is after it is asked for. */
type Cursor = { text: string; direction: Direction };

/** The ids between which a filter has events. */
function cursorsIn(entity: Entity, filter: Filter): Cursor[] {
  if (filter.kind === "and") return filter.of.flatMap((one) => cursorsIn(entity, one));
  if (filter.kind !== "field" || filter.field !== idOf(entity)) return [];
  const directions: readonly Direction[] = ["asc", "desc"];
  return directions.flatMap((direction) =>
    (cursors[direction] as readonly string[]).includes(filter.suffix)
      ? [{ text: String(filter.values[0]), direction }]
      : [],
  );
}

/** The blocks in which a filter has events, of some. */
function blocksIn(entity: Entity, filter: Filter, { from, to }: BlockRange): BlockRange {
  const since = (block: number): BlockRange => ({ from: Math.max(from, block), to });
  const until = (block: number): BlockRange => ({ from, to: Math.min(to, block) });
  switch (filter.kind) {
    case "and":
      return filter.of.reduce((left, one) => blocksIn(entity, one, left), { from, to });
    case "changed":
      return since(Number(filter.block));
    case "existed":
      return until(Number(filter.block));
    case "field": {
      const [block] = filter.values;
      if (filter.field !== entity.fields.blockNumber || block === undefined) return { from, to };
      if (filter.suffix.startsWith("gt")) return since(Number(block));
      return filter.suffix.startsWith("lt") ? until(Number(block)) : { from, to };
    }
    default:
      return { from, to };
  }
}

/** The blocks of a list, in the order of its ids; null where they are too many ranges. */
function rangesOf(
  entity: Entity,
  { filter, direction }: ListArguments,
  all: BlockRange,
): BlockRange[] | null {
  const ranges = rangesInTextOrder(all);
  if (ranges === null) return null;
  const allowed = blocksIn(entity, filter, all);
  const within = ranges.flatMap((range) => {
    const [from, to] = [Math.max(range.from, allowed.from), Math.min(range.to, allowed.to)];
    return from <= to ? [{ from, to }] : [];
  });
  return cursorsIn(entity, filter).reduce(rangesBeyond, direction === "asc" ? within : within.toReversed());
}

/** The rows of a page; null where the chain's blocks are too many ranges. */
export async function readByRanges(
  reader: Reader,
  plan: EntityPlan,
  list: ListArguments,
): Promise<Raw[] | null> {
  const blocks = await blocksWithLogs(reader);
  if (blocks === null) return [];
  const ranges = rangesOf(plan.entity, list, blocks);
  if (ranges === null) return null;
  const { first, skip } = list;
  const found: Raw[] = [];
  for (const range of ranges) {
    const left = skip + first - found.length;
    if (left <= 0) break;
    found.push(...(await readRange(reader, plan, { ...list, first: left, skip: 0 }, range)));
  }
  return found.slice(skip, skip + first);
}

/** How many logs are looked at for each event of a page, and how many times as many each time that these are too few. */
const LOOKED_AT = { each: 2, times: 8 };

/** The first events of some blocks. */
async function readRange(
  { rows, env }: Reader,
  plan: EntityPlan,
  list: ListArguments,
  blocks: BlockRange,
): Promise<Raw[]> {
  const span = spanIn((await rows(spanStatement(blocks, env)))[0]);
  if (span === null) return [];
  for (let count = list.first * LOOKED_AT.each; ; count *= LOOKED_AT.times) {
    const { page, candidates } = pageOfLogs(
      await rows(logsStatement(plan, list, env, { blocks, span, count })),
    );
    if (page.length === list.first || candidates < count) return page;
  }
}

async function blocksWithLogs({ rows, env }: Reader): Promise<BlockRange | null> {
  const end = (word: "min" | "max") =>
    sql`(select ${sql.raw(word)}(${event.blockNumber}) from ${event} where ${sqlOf(env.chains).holds(event.chainId)})`;
  const [ends] = await rows(sql`select ${end("min")} as first, ${end("max")} as last`);
  return ends?.first === null || ends === undefined
    ? null
    : { from: Number(ends.first), to: Number(ends.last) };
}
