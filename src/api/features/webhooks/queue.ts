import type { Queries } from "../../server/postgres/client.ts";
import { noteWebhookChange } from "../../server/serviceDb/webhookKeys.ts";
import { AT_ONCE, DELIVERY_DAYS, EVENT_DAYS, MAX_WAITING } from "./bounds.ts";
import type { Message, Payload } from "./message.ts";
import { disable } from "./table.ts";

/** A delivery that waits, with all that an attempt needs. */
export type Job = {
  deliveryId: string;
  webhookId: number;
  keyId: number;
  url: string;
  payload: Payload;
  secret: Buffer;
  /** Null once its time is over. */
  oldSecret: Buffer | null;
  credits: number;
  failures: number;
  failingSeconds: number;
  /** Since the delivery began to wait. */
  waitedSeconds: number;
  messageId: string;
  type: string;
  seconds: number;
  data: Record<string, unknown>;
};

/**
 * A webhook's oldest waiting delivery; null if there is none now, or the webhook or its key has ended. Another process
 * may have served it since it was listed, and failed.
 */
export async function nextJob({ query }: Queries, webhookId: number): Promise<Job | null> {
  const [job] = await query<Job>(
    `select d.id as "deliveryId", w.id as "webhookId", w.key_id as "keyId", w.url, w.payload, w.secret,
       case when w.old_secret_until > now() then w.old_secret end as "oldSecret", k.credits::float8 as credits,
       w.failures, coalesce(extract(epoch from now() - w.failing_since), 0)::float8 as "failingSeconds",
       extract(epoch from now() - d.created_at)::float8 as "waitedSeconds",
       e.message_id as "messageId", e.type, extract(epoch from e.occurred_at)::float8 as seconds, e.data
     from webhooks w join api_keys k on k.id = w.key_id and k.revoked_at is null
     cross join lateral (select * from webhook_deliveries
       where webhook_id = w.id and finished_at is null order by id limit 1) d
     join webhook_events e on e.id = d.event_id
     where w.id = $1 and w.state = 'active' and w.next_at <= now()`,
    [webhookId],
  );
  return job ?? null;
}

/** A webhook that has something to send now. */
export type Due = { id: number; keyId: number; host: string; failures: number };

/**
 * Those that were served longest ago first, and those that fail last; of each key and host no more than may be served at the same
 * time, so that many of one do not hide the others.
 */
export const listDue = (
  { query }: Queries,
  { except, limit, isPaid }: { except: readonly number[]; limit: number; isPaid: boolean },
): Promise<Due[]> =>
  query<Due>(
    `select id, "keyId", host, failures from (
       select w.id, w.key_id as "keyId", split_part(w.url, '/', 3) as host, w.failures, w.served_at,
         row_number() over (partition by w.key_id order by w.failures > 0, w.served_at nulls first) as of_key,
         row_number() over (partition by split_part(w.url, '/', 3)
           order by w.failures > 0, w.served_at nulls first) as of_host
       from webhooks w join api_keys k on k.id = w.key_id
       where w.state = 'active' and w.waiting > 0 and w.next_at <= now() and k.revoked_at is null
         and (k.credits > 0 or not $3) and w.id <> all($1::int[])) due
     where of_key <= ${AT_ONCE.key} and of_host <= ${AT_ONCE.host}
     order by failures > 0, served_at nulls first limit $2`,
    [except, limit, isPaid],
  );

export type Attempt = { status: number | null; error: string | null };

/** Rows are locked in one order, so that no two transactions wait for each other: key, webhook, deliveries. */
const hold = ({ query }: Queries, webhookId: number) =>
  query("select from webhooks where id = $1 for update", [webhookId]);

/**
 * The delivery has arrived: charges for it, in the same transaction, so once.
 *
 * @param charge null where deliveries are free
 */
export async function noteDelivered(
  queries: Queries,
  { deliveryId, webhookId, keyId, data }: Job,
  { status, charge }: Pick<Attempt, "status"> & { charge: (() => Promise<unknown>) | null },
): Promise<void> {
  if (charge !== null) await queries.query("select from api_keys where id = $1 for update", [keyId]);
  await hold(queries, webhookId);
  const done = await queries.query(
    `update webhook_deliveries set attempts = attempts + 1, attempted_at = now(), status = $2, error = null,
       finished_at = now(), is_delivered = true
     where id = $1 and finished_at is null returning id`,
    [deliveryId, status],
  );
  if (done.length === 0) return; // Another process was first, or the webhook has ended.
  await charge?.();
  await queries.query(
    `update webhooks set waiting = greatest(waiting - 1, 0), failures = 0, failing_since = null, next_at = now(),
       last_position = coalesce($2, last_position)
     where id = $1`,
    [webhookId, typeof data.position === "string" ? data.position : null],
  );
}

/** The attempt failed: the next one is after some seconds, or never. */
export async function noteFailed(
  queries: Queries,
  { deliveryId, webhookId }: Job,
  { status, error, next }: Attempt & { next: { seconds: number } | { disable: string } },
): Promise<void> {
  if ("disable" in next) await noteWebhookChange(queries);
  await hold(queries, webhookId);
  await queries.query(
    `update webhook_deliveries set attempts = attempts + 1, attempted_at = now(), status = $2, error = $3
     where id = $1 and finished_at is null`,
    [deliveryId, status, error],
  );
  await queries.query(
    `update webhooks set failures = failures + 1, failing_since = coalesce(failing_since, now()),
       next_at = now() + make_interval(secs => $2) where id = $1`,
    [webhookId, "seconds" in next ? next.seconds : 0],
  );
  if ("disable" in next) await disable(queries, webhookId, next.disable);
}

/** Tries a webhook later, without a failure of its own. */
export async function postpone({ query }: Queries, webhookId: number, seconds: number): Promise<void> {
  await query("update webhooks set next_at = now() + make_interval(secs => $2) where id = $1", [
    webhookId,
    seconds,
  ]);
}

/** Others have their turn. */
export async function endTurn({ query }: Queries, webhookId: number): Promise<void> {
  await query("update webhooks set served_at = now() where id = $1", [webhookId]);
}

/** Counts again what waits for a webhook, in the caller's transaction: a restored backup has no deliveries. */
export async function recount({ query }: Queries, webhookId: number): Promise<void> {
  // Writers that append deliveries hold this row too, so the next statement sees what they appended.
  await hold({ query }, webhookId);
  await query(
    `update webhooks set waiting = (
       select count(*) from webhook_deliveries where webhook_id = $1 and finished_at is null) where id = $1`,
    [webhookId],
  );
}

/** The channel on which processes hear that deliveries wait. */
export const queueChannel = (serviceSchema: string): string => `webhooks_${serviceSchema}`;

/** A message that a webhook is to get. */
export type Queued = { webhookId: number; message: Message };

/**
 * Appends deliveries in their order. A message for several webhooks is stored once; deliveries are counted with their webhooks, and
 * said to all processes that send.
 */
export async function addDeliveries({ query }: Queries, queued: readonly Queued[]): Promise<void> {
  if (queued.length === 0) return;
  const messages = [...new Map(queued.map(({ message }) => [message.id, message])).values()];
  await query(
    `insert into webhook_events (message_id, type, occurred_at, data)
     select id, type, to_timestamp(seconds), data::json
     from unnest($1::text[], $2::text[], $3::float8[], $4::text[]) as given (id, type, seconds, data)
     on conflict (message_id) do update set created_at = now()`,
    [
      messages.map(({ id }) => id),
      messages.map(({ type }) => type),
      messages.map(({ seconds }) => seconds),
      messages.map(({ data }) => JSON.stringify(data)),
    ],
  );
  await query(
    `with added as (
       insert into webhook_deliveries (webhook_id, event_id)
       select webhook_id, e.id from unnest($1::int[], $2::text[]) with ordinality as given (webhook_id, message_id, at)
       join webhook_events e using (message_id) order by at returning webhook_id)
     update webhooks set waiting = waiting + n
     from (select webhook_id, count(*)::int as n from added group by webhook_id) counted where id = webhook_id`,
    [queued.map(({ webhookId }) => webhookId), queued.map(({ message }) => message.id)],
  );
  await query("select pg_notify($1 || current_schema(), '')", [queueChannel("")]);
}

/** How many deliveries each key may still have waiting: no more than a bound, and than it can pay for. */
export async function readRoom(
  { query }: Queries,
  keyIds: readonly number[],
  { isPaid }: { isPaid: boolean },
): Promise<Map<number, number>> {
  const rows = await query<{ keyId: number; waiting: number; credits: number }>(
    `select k.id as "keyId", k.credits::float8 as credits, coalesce(sum(w.waiting), 0)::float8 as waiting
     from api_keys k left join webhooks w on w.key_id = k.id where k.id = any($1::int[]) group by k.id`,
    [[...new Set(keyIds)]],
  );
  return new Map(
    rows.map(({ keyId, waiting, credits }) => {
      const most = isPaid ? Math.min(MAX_WAITING, credits) : MAX_WAITING;
      return [keyId, most - waiting];
    }),
  );
}

/** A delivery as its owner sees it. */
export type Delivery = {
  id: string;
  messageId: string;
  type: string;
  createdAt: Date;
  attempts: number;
  status: number | null;
  error: string | null;
  attemptedAt: Date | null;
  isDelivered: boolean | null;
};

/** The newest first, or those before one. */
export const listDeliveries = (
  { query }: Queries,
  webhookId: number,
  { before, limit }: { before: number | null; limit: number },
): Promise<Delivery[]> =>
  query<Delivery>(
    `select d.id, e.message_id as "messageId", e.type, d.created_at as "createdAt", d.attempts, d.status, d.error,
       d.attempted_at as "attemptedAt", d.is_delivered as "isDelivered"
     from webhook_deliveries d join webhook_events e on e.id = d.event_id
     where d.webhook_id = $1 and ($2::bigint is null or d.id < $2) order by d.id desc limit $3`,
    [webhookId, before, limit],
  );

/** Rows that are removed in one statement. */
const TRIMMED = 5_000;

/** Removes what is too old. Dropped deliveries count as left out, and their webhook gets a message about it. */
export async function trimQueue({ query }: Queries): Promise<void> {
  await query(
    `delete from webhook_deliveries where id in (
       select id from webhook_deliveries where finished_at < now() - make_interval(days => ${DELIVERY_DAYS})
       order by finished_at limit ${TRIMMED})`,
  );
  await query(
    `with old as (
       delete from webhook_events where id in (
         select id from webhook_events where created_at < now() - make_interval(days => ${EVENT_DAYS})
         order by created_at limit ${TRIMMED}) returning id),
     lost as (
       select webhook_id, count(*)::int as n from webhook_deliveries
       where event_id in (select id from old) and finished_at is null group by webhook_id)
     update webhooks set waiting = greatest(waiting - n, 0), dropped = dropped + n,
       gap_reason = coalesce(gap_reason, 'too_old'), gap_after = coalesce(gap_after, last_position)
     from lost where id = webhook_id`,
  );
}
