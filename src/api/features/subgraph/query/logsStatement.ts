import { event } from "ponder:schema";
import type { SQL } from "drizzle-orm";
import { sql } from "ponder";
import { sqlOf } from "../../../names/query/scope.ts";
import { FAMILY, hashOf, TIME_OF_PLACE } from "../../../names/rules/eventParties.ts";
import { columnOf, type Entity, type Env } from "../table/entity.ts";
import type { Raw } from "./columns.ts";
import type { ListArguments } from "./listArguments.ts";
import { orderTerms } from "./order.ts";
import type { EntityPlan } from "./plan.ts";
import { directed, named, pageSql, placeOf } from "./statement.ts";
import type { BlockRange } from "./textOrder.ts";

/** Unix seconds, both inside. */
type Span = { from: number; to: number };

/** Which logs a statement looks at: the first of some blocks, in the direction of the list. */
type LogRange = { blocks: BlockRange; span: Span; count: number };

const CANDIDATES = "candidates";

/**
 * Events of some blocks, in the order of the blocks, and of their ids in each, out of the first logs of their kinds. Each kind is
 * read by an index in the order of time, and of the rows only as many as are looked at: between two events of a type there can be
 * a hundred thousand others. There is a row also where none of them is an event of the list.
 */
export function logsStatement(plan: EntityPlan, list: ListArguments, env: Env, range: LogRange): SQL {
  const of = placeOf(plan, env);
  const number = columnOf(of.row, "block_number");
  const { values, names } = named([number, ...orderTerms(list, of)]);
  const isLooked = sql`${columnOf(of.row, "ctid")} = any((select places from looked)::tid[])`;
  const isIn = sql`${number} between ${range.blocks.from}::int and ${range.blocks.to}::int`;
  const page = pageSql(plan, list, of, { before: sql`${values},`, more: [isLooked, isIn], terms: names });
  const looked = firstLogs(plan.entity, list, env, range);
  return sql`with looked as materialized (select array(${looked}) as places)
    select cardinality(looked.places) as ${sql.identifier(CANDIDATES)}, found.*
    from looked left join lateral (${page}) as found on true
    order by ${directed(
      names.map((name) => sql`found.${name}`),
      list.direction,
    )}`;
}

/** The rows of a page, and of how many logs it was made. */
export const pageOfLogs = (raws: readonly Raw[]): { page: Raw[]; candidates: number } => ({
  page: raws.filter(({ k0 }) => k0 !== null),
  candidates: Number(raws[0]?.[CANDIDATES] ?? 0),
});

/**
 * When the logs of some blocks were; without values where there are none. The statement of a page is planned for these times:
 * without them PostgreSQL expects few logs, and sorts all of them.
 */
export function spanStatement({ from, to }: BlockRange, { chains }: Env): SQL {
  const at = (
    sign: string,
    block: number,
    direction: string,
  ): SQL => sql`(select ${event.blockTimestamp} from ${event}
    where ${sqlOf(chains).holds(event.chainId)} and ${event.blockNumber} ${sql.raw(sign)} ${block}::int
    order by ${event.chainId} ${sql.raw(direction)}, ${event.blockNumber} ${sql.raw(direction)} limit 1)`;
  return sql`select ${at(">=", from, "asc")} as first, ${at("<=", to, "desc")} as last`;
}

/** The times of a row of that statement. */
export const spanIn = (row: Raw | undefined): Span | null =>
  row === undefined || row.first === null || row.last === null
    ? null
    : { from: Number(row.first), to: Number(row.last) };

const time = sql.raw(TIME_OF_PLACE);

/**
 * Where the first logs of a type's kinds are, with all others of the last one's block: ids have another order in a block. Each kind
 * gives no more than that, so that PostgreSQL reads it in its order. Of blocks it knows the times alone: it would take those and
 * the numbers for two conditions, and expect few logs that meet both.
 */
function firstLogs(
  { name, kinds }: Entity,
  { direction }: ListArguments,
  { chainId }: Env,
  { span, count }: LogRange,
): SQL {
  if (kinds === undefined) throw new Error(`Invariant(subgraph): ${name} has no kinds of logs`);
  const first = sql.raw(`fetch first ${count} rows with ties`);
  const ofKind = (kind: string): SQL => sql`(select ctid as place, ${time} as time, block_number from ${event}
    where ${sql.raw(hashOf(FAMILY))} = hashtextextended(${kind}::text, ${chainId}::bigint)
      and ${time} between ${span.from}::bigint and ${span.to}::bigint
    order by ${directed([sql`time`], direction)} ${first})`;
  return sql`select place from (${sql.join(kinds.map(ofKind), sql` union all `)}) as logs
    order by ${directed([sql`time`, sql`block_number`], direction)} ${first}`;
}
