import { domain } from "ponder:schema";
import { getTableName } from "drizzle-orm";
import { sql } from "ponder";
import { BEGINNING } from "../../../names/rules/nameOrders.ts";
import type { Db } from "../../../server/postgres/db.ts";
import { columnName } from "../table/aliased.ts";
import type { SpreadColumn } from "../table/entity.ts";
import { readAgain } from "./readAgain.ts";

/** Beginnings of texts of a column, in the order of bytes: about as many names are between each two of them. */
export type Spread = Readonly<Record<SpreadColumn, readonly string[]>>;

const columns: readonly SpreadColumn[] = ["fullName", "label"];

/** PostgreSQL has them of its samples: with its own settings a hundred of each column. */
async function read(db: Db): Promise<Spread> {
  const { rows } = await db.execute<{ name: string; texts: string[] }>(sql`
    select attname as name, array(select left(one, ${sql.raw(String(BEGINNING))})
      from unnest(histogram_bounds::text::text[]) as one order by one collate "C") as texts
    from pg_stats where schemaname = current_schema() and tablename = ${getTableName(domain)}
      and attname = any(${sql.param(columns.map(columnName))}::text[])`);
  const textsOf = (column: SpreadColumn): readonly string[] =>
    rows.find(({ name }) => name === columnName(column))?.texts ?? [];
  return { fullName: textsOf("fullName"), label: textsOf("label") };
}

/** The spread of a database's names. */
export const spreadFor = (ms: number) => readAgain(ms, read);
