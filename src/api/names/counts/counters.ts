import type { SQL, SQLWrapper } from "drizzle-orm";
import { sql } from "ponder";
import { ifThere } from "../../server/postgres/absent.ts";
import type { Db } from "../../server/postgres/db.ts";
import { type Scope, type ScopeSql, statementOf } from "../query/scope.ts";
import { asCounted, onMainChain } from "../rules/assumeFalse.ts";
import { toRowText } from "../rules/conditionText.ts";
import { isUnseenSql, rowD } from "../rules/unseenSql.ts";
import { classColumns, classOf, isName, mayDiffer } from "./classes.ts";
import { rulesNumber } from "./counterTables.ts";

/*
 * What all readers of the counters have in common. Their answers are exact: what time alone changed since the
 * counters' moment is corrected from the rows that it may concern. They answer null if there are no counters, because
 * they are not made yet or a fault made them void; the count is then taken from the rows.
 */

/** The moment for which the counters hold; null if they are not of these tables, or were made by other rules. */
export const momentOf = ({ life }: ScopeSql): SQL =>
  sql.raw(
    `(select taken_at from figures_state where counted = 'domains'::regclass::oid and rules = ${rulesNumber(life)})`,
  );

type WithMoment<Row> = Row & { moment: string | null };

/** The rows of a statement that selects the counters' moment with each row; null without counters. */
export const readCounters = <Row extends object>(db: Db, statement: SQL): Promise<Row[] | null> =>
  ifCounted(async () => (await db.execute(statement)).rows);

async function ifCounted<Row extends object>(read: () => Promise<object[]>): Promise<Row[] | null> {
  const rows = (await ifThere(COUNTERS, read)) as WithMoment<Row>[] | null;
  return rows?.[0] === undefined || rows[0].moment === null ? null : rows;
}

/** The name of the counters, where they are not there. */
export const COUNTERS = "counters";

type Values = Record<string, unknown>;

/** The same as a prepared statement. It gives one row, and `columns` are its numbers. */
export function preparedCounts<const Column extends string>(
  name: string,
  columns: readonly Column[],
  statement: (of: ScopeSql) => SQL,
) {
  const read = preparedCountRows<Column, number>(name, columns, statement);
  return async (db: Db, scope: Scope, values: Values): Promise<Record<Column, number> | null> =>
    (await read(db, scope, values))?.[0] ?? null;
}

/** The same of a statement with several rows. */
export function preparedCountRows<const Column extends string, Value>(
  name: string,
  columns: readonly Column[],
  statement: (of: ScopeSql) => SQL,
) {
  const fields = Object.fromEntries(
    ["moment", ...columns].map((column) => [column, sql<number>`${sql.identifier(column)}`]),
  );
  const counts = statementOf((of, db) =>
    db
      .select(fields)
      .from(sql`(${statement(of)}) as counts`)
      .prepare(of.title(`counters_${name}`)),
  );
  return async (db: Db, scope: Scope, values: Values): Promise<Record<Column, Value>[] | null> => {
    const rows = await ifCounted<Record<Column, Value>>(() => counts(db, scope, values));
    return rows?.map((row) => pick(row, columns)) ?? null;
  };
}

const pick = <Column extends string, Value>(row: Record<Column, Value>, columns: readonly Column[]) =>
  Object.fromEntries(columns.map((column) => [column, row[column]])) as Record<Column, Value>;

/**
 * Names whose class may have changed since the counters' moment: their class then with -1, and their class now with 1.
 * `times` has both. The rows are found from `times` and not from values: that takes a tenth of the planning time.
 */
export function changesUntil(now: number | SQLWrapper, of: ScopeSql): SQL {
  const { life } = of;
  return sql`times as materialized (
    select ${now}::bigint as now, ${momentOf(of)} as moment
  ), due as materialized (
    select name.* from times cross join lateral (
      select d.* from domains d
      where ${sql.raw(isName)} and (${sql.raw(mayDiffer("times.moment", "times.now", life))}) offset 0
    ) as name
  ), change as materialized (
    select -1 as sign, ${sql.raw(classOf("times.moment", life))} from due d cross join times
    union all select 1, ${sql.raw(classOf("times.now", life))} from due d cross join times
  )`;
}

/**
 * What is added to counts by phase, in a statement with `changesUntil`: names that ENSv2 never saw have no premium once it
 * is open, which no log of theirs tells. They are few, and found by their expiry.
 */
export function unseenChanges({ ensv2, life }: ScopeSql): More {
  const keys = classColumns(life);
  const ended = keys.map((key) => (key === "phase" ? "'ended' as phase" : key));
  const isPremium = toRowText(onMainChain(asCounted(life.inPhase("premium"))), "times.now");
  const tables = sql`, unseen as materialized (
    select ${sql.raw(classOf("times.now", life))} from times cross join lateral (
      select d.* from domains d where ${sql.raw(isName)} and ${sql.raw(isPremium)} and ${isUnseenSql(ensv2.ethRegistry, rowD)} offset 0
    ) as d
  )`;
  const rows = sql`
    union all select ${sql.raw(keys.join(", "))}, -1 from unseen
    union all select ${sql.raw(ended.join(", "))}, 1 from unseen`;
  return { tables, rows };
}

/** What a statement with `changesUntil` has besides: tables of its own, and rows of classes. */
type More = { tables: SQL; rows: SQL };

export const noMore: More = { tables: sql``, rows: sql`` };

/** The counters' moment, in a statement with `changesUntil`. */
export const momentInChanges: SQL = sql.raw("(select moment from times)");

export const sumIf = (condition: string): SQL =>
  sql.raw(`coalesce(sum(names) filter (where ${condition}), 0)::int`);
