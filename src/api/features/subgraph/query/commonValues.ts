import { domain } from "ponder:schema";
import { type getTableColumns, getTableName } from "drizzle-orm";
import { sql } from "ponder";
import type { Db } from "../../../server/postgres/db.ts";
import { columnName } from "../table/aliased.ts";
import { NONE } from "../table/entity.ts";
import type { CommonValues } from "./narrow.ts";
import { readAgain } from "./readAgain.ts";

/** Columns of names by which lists are found. */
const columns: readonly (keyof ReturnType<typeof getTableColumns<typeof domain>>)[] = [
  ...(["parentNode", "label", "labelhash"] as const),
  ...(["registryOwner", "registrarOwner", "wrapperOwner", "effectiveOwnerAddress"] as const),
];

/**
 * The share of all names from which on a value is common. Fewer are found by the value's index and sorted, in at most some tens of
 * milliseconds for a million names; there is no better plan that would be worth making one for each list.
 */
const COMMON_SHARE = 0.05;

/** PostgreSQL lists what its samples have often: with its own settings the hundred most common values of each column. */
async function read(db: Db): Promise<CommonValues> {
  const names = columns.map(columnName);
  const { rows } = await db.execute<{ value: string }>(sql`
    select distinct value from pg_stats
    cross join lateral unnest(most_common_vals::text::text[], most_common_freqs) as common (value, share)
    where schemaname = current_schema() and tablename = ${getTableName(domain)}
      and attname = any(${sql.param(names)}::text[]) and share >= ${COMMON_SHARE}`);
  // The zero address stands for all that have no owner.
  return new Set([NONE, ...rows.map(({ value }) => value)]);
}

/** The common values of a database. */
export const commonValuesFor = (ms: number) => readAgain(ms, read);
