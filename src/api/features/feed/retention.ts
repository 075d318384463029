import type pg from "pg";
import { inTransaction } from "../../server/postgres/client.ts";

/** How long and how many changes stay. */
export type Retention = { days: number; changes: number };

/** Changes that are removed in one statement. */
const AT_ONCE = 50_000;

/** Younger ones stay, whatever their number: a reorganisation may still remove them. */
const YOUNGEST = "1 hour";

/**
 * Removes what is too old, and records the oldest complete position. One call removes a part.
 *
 * @returns true if more is to be removed
 */
export async function removeOld(client: pg.ClientBase, { days, changes }: Retention): Promise<boolean> {
  return inTransaction(client, async () => {
    const { rows } = await client.query<{ last: string | null; some: string }>(
      `select max(number) as last, count(*) as some from (
         select number, written_at from feed_changes order by number limit ${AT_ONCE}) f, feed_state s
       where (f.number <= s.newest - $1::bigint or written_at < now() - make_interval(secs => $2::float8 * 86400))
         and written_at < now() - interval '${YOUNGEST}'`,
      [changes, days],
    );
    const [{ last = null, some = "0" } = {}] = rows;
    if (last === null) return false;
    await client.query("delete from feed_changes where number <= $1", [last]);
    await client.query("update feed_state set oldest = greatest(oldest, $1)", [last]);
    return Number(some) >= AT_ONCE;
  });
}
