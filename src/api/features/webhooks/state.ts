import type { Queries } from "../../server/postgres/client.ts";
import type { Db } from "../../server/postgres/db.ts";
import { readFeedIfAny, readUnsortedSince } from "../feed/read.ts";

/** How the webhooks of a service are, for its operator. */
export type WebhooksState = {
  /** How many there are: those that get changes, of these those that fail, those that wait for their test, and those that ended. */
  states: Record<"active" | "failing" | "unverified" | "disabled", number>;
  /** Deliveries that wait, those for later attempts among them. */
  waiting: number;
  /** Seconds since the oldest delivery began to wait whose receiver does not fail; 0 if none waits. */
  oldestSeconds: number;
  /** Changes left out and not yet reported in a message. */
  leftOut: number;
};

/**
 * Since when a fault keeps changes from active webhooks, in unix seconds: the feed stands still, or no process sorts out who wants which.
 * Null where neither is so. An index that does not answer says so elsewhere, and keeps no owner from looking after webhooks.
 */
export async function readStalledSince(db: Db, { query }: Queries): Promise<number | null> {
  const feed = await readFeedIfAny(db).catch(() => null);
  const [at] = await query<{ epoch: string; number: number }>(
    `select epoch, number::float8 as number from webhook_feed
     where epoch is not null and exists (select from webhooks where state = 'active')`,
  );
  if (feed === null || at === undefined) return null;
  const unsorted = await readUnsortedSince(db, at.epoch === feed.epoch ? at.number : 0).catch(() => null);
  const since = [feed.gapSince, unsorted].flatMap((one) => one ?? []);
  return since.length === 0 ? null : Math.min(...since);
}

type Counted = WebhooksState["states"] & Omit<WebhooksState, "states">;

/** Reads it for all keys that are not revoked. `isPaid`: what waits for credits of its owner is not late. */
export async function readWebhooksState(
  { query }: Queries,
  { isPaid }: { isPaid: boolean },
): Promise<WebhooksState> {
  const [row] = await query<Counted>(
    `with known as (
       select w.*, k.credits > 0 or not $1 as is_paid from webhooks w
       join api_keys k on k.id = w.key_id and k.revoked_at is null
     )
     select (count(*) filter (where state = 'active' and failures = 0))::int as active,
       (count(*) filter (where state = 'active' and failures > 0))::int as failing,
       (count(*) filter (where state = 'unverified'))::int as unverified,
       (count(*) filter (where state = 'disabled'))::int as disabled,
       coalesce(sum(waiting), 0)::float8 as waiting, coalesce(sum(dropped), 0)::float8 as "leftOut",
       coalesce((
         select extract(epoch from now() - min(d.created_at)) from known w cross join lateral (
           select created_at from webhook_deliveries where webhook_id = w.id and finished_at is null order by id limit 1) d
         where w.state = 'active' and w.failures = 0 and w.waiting > 0 and w.is_paid
       ), 0)::float8 as "oldestSeconds"
     from known`,
    [isPaid],
  );
  if (row === undefined) throw new Error("a statement that counts gave no row");
  const { waiting, oldestSeconds, leftOut, ...states } = row;
  return { states, waiting, oldestSeconds, leftOut };
}
