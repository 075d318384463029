import { createHash } from "node:crypto";
import type pg from "pg";
import { findDatabaseError } from "../../server/postgres/databaseErrors.ts";

/*
 * Two versions of the program, with other rules, can run on one index with the owner's rights. If each made the other's
 * counters again, both would lock the tables all the time. So counters belong to the version that started last; the other
 * leaves them, and answers from the rows. Each start can take them over once.
 */

/** The columns of a table of state that tell who looks after the counters. */
export const maintainerColumns = "started_at bigint not null, seen_at timestamptz not null";

/** How long a maintainer may be silent. It looks after its counters every 30 seconds, or after it built indexes. */
const MAX_SILENCE = "10 minutes";

/** PostgreSQL's undefined_table and undefined_column: there is nothing, or it is of a version that knew no maintainers. */
const notThere = ["42P01", "42703"];

/** A table of state, and the table that was counted. `startedAt`: the start of this program, in unix milliseconds. */
type Maintained = {
  client: pg.ClientBase;
  schema: string;
  state: "figures_state" | "figures_days_state";
  counted: "domains" | "events";
  startedAt: number;
};

/** Whether counters that were made by other rules may be replaced. */
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

/** SQL that says in a table of state who made the counters, now. */
export const madeBy = (startedAt: number): string => `${startedAt}, now()`;

/** SQL that sets who looks after the counters: of several programs with these rules the last that started. */
export const lookedAfterBy = (startedAt: number): string =>
  `started_at = greatest(started_at, ${startedAt}), seen_at = now()`;

/** The version of rules, from the SQL that counts by them: 31 bits of a hash fit into the column `rules`. */
export const versionOf = (...sql: readonly string[]): number =>
  createHash("sha256").update(sql.join("")).digest().readUInt32BE() >>> 1;
