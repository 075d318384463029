import { pairLocks } from "../../server/postgres/advisoryLocks.ts";
import type { Queries } from "../../server/postgres/client.ts";

export type Turns = ReturnType<typeof turnsOn>;

/** The second number of a webhook's lock. Two webhooks that share one wait for each other, and lose nothing. */
const PLACE = "hashtext($2::text || ' ' || id)";

/**
 * Which webhooks a process serves. Each is served by one process at a time, so its messages stay in order. Turns are locks of one connection: if a process dies, PostgreSQL frees them at once, and another process continues.
 * `schema` is that of the service's tables.
 */
export const turnsOn = ({ query }: Queries, schema: string) => ({
  /** Takes those of these webhooks that no other process serves. */
  take: async (ids: readonly number[]): Promise<ReadonlySet<number>> => {
    if (ids.length === 0) return new Set();
    const rows = await query<{ id: number }>(
      `select id from unnest($1::int[]) id where pg_try_advisory_lock(${pairLocks.webhookTurn}, ${PLACE})`,
      [ids, schema],
    );
    return new Set(rows.map(({ id }) => id));
  },
  /** Others may serve it. */
  free: async (id: number): Promise<void> => {
    await query(`select pg_advisory_unlock(${pairLocks.webhookTurn}, ${PLACE}) from unnest($1::int[]) id`, [
      [id],
      schema,
    ]);
  },
});
