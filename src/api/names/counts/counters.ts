import type { SQL, SQLWrapper } from "drizzle-orm";
import { sql } from "ponder";
import { ifThere } from "../../server/postgres/absent.ts";
import type { Db } from "../../server/postgres/db.ts";
import { plannedOnce } from "../../server/postgres/prepared.ts";
import type { ScopeSql } from "../query/scope.ts";
import { asCounted, onMainChain } from "../rules/assumeFalse.ts";
import { toRowText } from "../rules/conditionText.ts";
import { isUnseenSql, rowD } from "../rules/unseenSql.ts";
import { classColumns, classOf, isName, mayDiffer } from "./classes.ts";
import { rulesNumber } from "./counterTables.ts";

/**
 * Shared by all readers of the counters. Their answers are exact: changes since the counters' moment that came with time alone
 * are corrected from the rows they may concern. They return null without counters, which are not built yet or were invalidated by
 * an error; the count then comes from the rows.
 */

/** The moment for which the counters hold; null if they do not belong to these tables, or were made by other rules. */
export const momentOf = ({ life }: ScopeSql): SQL =>
  sql.raw(
    `(select taken_at from figures_state where counted = 'domains'::regclass::oid and rules = ${rulesNumber(life)})`,
  );

/** Reads the rows of a statement that selects the counters' moment with each row; null without counters. */
export const readCounters = <Row extends object>(db: Db, statement: SQL): Promise<Row[] | null> =>
  ifCounted<Row>(async () => (await db.execute(statement)).rows);

/** The same for a frequent statement that returns one row of numbers. */
export async function readCounter<Row extends object>(db: Db, statement: SQL): Promise<Row | null> {
  const counts = await ifCounted<Row>(async () => {
    const row = sql<Row>`to_jsonb(counts)`;
    const rows = await plannedOnce(db.select({ row }).from(sql`(${statement}) as counts`));
    return rows.map((found) => found.row);
  });
  return counts?.[0] ?? null;
}

/** Runs a statement that selects the counters' moment with each row; null without counters. */
export async function ifCounted<Row extends object>(read: () => Promise<object[]>): Promise<Row[] | null> {
  const rows = (await ifThere(COUNTERS, read)) as (Row & { moment: string | null })[] | null;
  if (rows?.[0] === undefined || rows[0].moment === null) return null;
  return rows.map(({ moment: _, ...row }) => row as unknown as Row);
}

/** Name of the counters when they are missing. */
export const COUNTERS = "counters";

/**
 * Names whose class may have changed since the counters' moment: once with -1 for the class at that moment, once with 1 for the
 * current class. Both times are read from `times` rather than from parameters, which takes a tenth of the planning time.
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
 * Corrects counts by phase, in a statement with `changesUntil`. Names that ENSv2 never saw have no premium once its registrar is
 * open, and none of their logs records that. They are few, and are found by their expiry.
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

/** Additional parts of a statement with `changesUntil`: tables, and rows of classes. */
type More = { tables: SQL; rows: SQL };

export const noMore: More = { tables: sql``, rows: sql`` };

/** The counters' moment, in a statement with `changesUntil`. */
export const momentInChanges: SQL = sql.raw("(select moment from times)");

export const sumIf = (condition: string): SQL =>
  sql.raw(`coalesce(sum(names) filter (where ${condition}), 0)::int`);
