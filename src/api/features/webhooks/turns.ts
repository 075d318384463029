import { pairLocks } from "../../server/postgres/advisoryLocks.ts";
import type { Queries } from "../../server/postgres/client.ts";

/** Which webhooks a process serves. Each is served by one process at a time, so its messages stay in order. */
export type Turns = {
  /** Takes those of these webhooks that no other process serves. */
  take: (ids: readonly number[]) => Promise<ReadonlySet<number>>;
  /** Others may serve it. */
  free: (id: number) => Promise<void>;
};

/** The second number of a webhook's lock. Two webhooks that share one wait for each other, and lose nothing. */
const PLACE = "hashtext($2::text || ' ' || id)";

/**
 * Turns are locks of one connection: if a process dies, PostgreSQL frees them at once, and another process continues.
 * `schema` is that of the service's tables.
 */
export const turnsOn = ({ query }: Queries, schema: string): Turns => ({
  take: async (ids) => {
    if (ids.length === 0) return new Set();
    const rows = await query<{ id: number }>(
      `select id from unnest($1::int[]) id where pg_try_advisory_lock(${pairLocks.webhookTurn}, ${PLACE})`,
      [ids, schema],
    );
    return new Set(rows.map(({ id }) => id));
  },
  free: async (id) => {
    await query(`select pg_advisory_unlock(${pairLocks.webhookTurn}, ${PLACE}) from unnest($1::int[]) id`, [
      [id],
      schema,
    ]);
  },
});
