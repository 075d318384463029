import { createHash } from "node:crypto";
import type pg from "pg";
import { findDatabaseError } from "../../server/postgres/databaseErrors.ts";

/**
 * Two versions of the program with different rules can run on one index with the owner's rights. If each rebuilt the other's
 * counters, both would lock the tables all the time. So counters belong to the version that started last; the other leaves them
 * alone, and answers from the rows. Each start can take them over once.
 */

/** The columns of a state table that identify the maintainer of the counters. */
export const maintainerColumns = "started_at bigint not null, seen_at timestamptz not null";

/** How long a maintainer may be silent. It checks its counters every 30 seconds, or after it has built indexes. */
const MAX_SILENCE = "10 minutes";

/**
 * PostgreSQL's undefined_table and undefined_column: there are no counters, or an older version without maintainers made them.
 */
const notThere = ["42P01", "42703"];

/** A state table, and the table that was counted. `startedAt`: when this program started, in Unix milliseconds. */
type Maintained = {
  client: pg.ClientBase;
  schema: string;
  state: "figures_state" | "figures_days_state";
  counted: "domains" | "events";
  startedAt: number;
};

/** Returns true if counters made by other rules may be replaced. */
export async function mayReplace({
  client,
  schema,
  state,
  counted,
  startedAt,
}: Maintained): Promise<boolean> {
  try {
    const { rows } = await client.query<{ may: boolean | null }>(
      `select bool_and(started_at < $1 or seen_at < now() - interval '${MAX_SILENCE}') as may
       from ${schema}.${state} where counted = '${schema}.${counted}'::regclass::oid`,
      [startedAt],
    );
    return rows[0]?.may ?? true;
  } catch (error) {
    if (findDatabaseError(error, notThere) !== null) return true;
    throw error;
  }
}

/** SQL values for the maintainer columns of a new row. */
export const madeBy = (startedAt: number): string => `${startedAt}, now()`;

/** SQL that updates the maintainer: of several programs with these rules, the last to start. */
export const lookedAfterBy = (startedAt: number): string =>
  `started_at = greatest(started_at, ${startedAt}), seen_at = now()`;

/** The version of rules, from the SQL that counts by them: 31 bits of a hash, which fit into the column `rules`. */
export const versionOf = (...sql: readonly string[]): number =>
  createHash("sha256").update(sql.join("")).digest().readUInt32BE() >>> 1;
