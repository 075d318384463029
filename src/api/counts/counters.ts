import type { SQL, SQLWrapper } from "drizzle-orm";
import { sql } from "ponder";
import { findDatabaseError } from "../query/databaseErrors.ts";
import type { Db } from "../query/db.ts";
import { prepared } from "../query/prepared.ts";
import { classOf, mayDiffer, RULES } from "./classes.ts";

/*
 * What all answers from the counts that are kept with every write (`upkeep/figures.ts`) have in common. They are exact:
 * what only time changed since the counts were moved is put right from the rows that it may concern. Null where there
 * are no counts, because they are still to be made or a fault made them void; who asks counts the rows then.
 */

/** The moment for which the counts hold; null where they are not of the tables as they are, or made by other rules. */
export const MOMENT = `(select taken_at from figures_state where counted = 'domains'::regclass::oid and rules = ${RULES})`;

/** PostgreSQL's undefined_table and undefined_column: nothing was counted, or by a program of other rules. */
const notCounted = ["42P01", "42703"];

type Kept<Row> = Row & { moment: string | null };

/** The rows of a statement that gives the moment of the counts with each. */
export const readKept = <Row extends object>(db: Db, statement: SQL): Promise<Row[] | null> =>
  ifKept(Promise.resolve(db.execute(statement)).then(({ rows }) => rows));

async function ifKept<Row extends object>(reading: Promise<object[]>): Promise<Row[] | null> {
  try {
    const rows = (await reading) as Kept<Row>[];
    return rows[0] === undefined || rows[0].moment === null ? null : rows;
  } catch (error) {
    if (findDatabaseError(error, notCounted) !== null) return null;
    throw error;
  }
}

/** The same for a statement that is asked again and again: `columns` are those of its one row, numbers all of them. */
export function preparedFigures<const Column extends string>(
  name: string,
  columns: readonly Column[],
  statement: SQL,
) {
  const fields = Object.fromEntries(
    ["moment", ...columns].map((column) => [column, sql<number>`${sql.identifier(column)}`]),
  );
  const statements = prepared((db) =>
    db.select(fields).from(sql`(${statement}) as figures`).prepare(`kept_${name}`),
  );
  return async (db: Db, values: Record<string, unknown>): Promise<Record<Column, number> | null> => {
    const rows = await ifKept<Record<Column, number>>(statements(db).execute(values));
    const [row] = rows ?? [];
    return row === undefined ? null : pick(row, columns);
  };
}

const pick = <Column extends string>(row: Record<Column, number>, columns: readonly Column[]) =>
  Object.fromEntries(columns.map((column) => [column, row[column]])) as Record<Column, number>;

/**
 * Names that may count as something else than at the moment of the counts, with what they counted as and count as now;
 * `asked` has both times. They are found from `asked`, not from values of their own: that is planned in a tenth of the
 * time.
 */
export const changesUntil = (now: number | SQLWrapper): SQL => sql`asked as materialized (
    select ${now}::bigint as now, ${sql.raw(MOMENT)} as moment
  ), due as materialized (
    select name.* from asked cross join lateral (
      select d.* from domains d
      where d.full_name <> '' and (${sql.raw(mayDiffer("asked.moment", "asked.now"))}) offset 0
    ) as name
  ), change as materialized (
    select -1 as sign, ${sql.raw(classOf("asked.moment"))} from due d cross join asked
    union all select 1, ${sql.raw(classOf("asked.now"))} from due d cross join asked
  )`;

/** The moment of the counts, in a statement with `changesUntil`. */
export const momentAsked: SQL = sql.raw("(select moment from asked)");

export const sumIf = (condition: string): SQL =>
  sql.raw(`coalesce(sum(names) filter (where ${condition}), 0)::int`);
