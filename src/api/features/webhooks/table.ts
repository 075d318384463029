import { ApiError } from "../../server/errors/errors.ts";
import type { Queries } from "../../server/postgres/client.ts";
import { noteWebhookChange } from "../../server/serviceDb/webhookKeys.ts";
import type { ChangeFilters } from "../feed/filters.ts";
import type { FeedState } from "../feed/rows.ts";
import { MAX_OF_KEY, MAX_WEBHOOKS, OVERLAP_HOURS } from "./bounds.ts";
import type { Payload } from "./message.ts";
import type { Subscription } from "./subscriptions.ts";

/** Filters as the owner wrote them. */
export type Asked = Readonly<Record<string, string>>;

export type WebhookState = "unverified" | "active" | "disabled";

/** A webhook, without its secret. */
export type Webhook = {
  id: number;
  keyId: number;
  url: string;
  asked: Asked;
  timing: Subscription["timing"];
  payload: Payload;
  state: WebhookState;
  disabledBecause: string | null;
  waiting: number;
  gapReason: string | null;
  gapAfter: string | null;
  dropped: number;
  failures: number;
  failingSince: Date | null;
  nextAt: Date;
  lastPosition: string | null;
  oldSecretUntil: Date | null;
  createdAt: Date;
};

const WEBHOOK_COLUMNS = `w.id, w.key_id as "keyId", w.url, w.asked, w.timing, w.payload, w.state,
  w.disabled_because as "disabledBecause", w.waiting, w.gap_reason as "gapReason", w.gap_after as "gapAfter",
  w.dropped::float8 as dropped, w.failures, w.failing_since as "failingSince", w.next_at as "nextAt",
  w.last_position as "lastPosition", w.old_secret_until as "oldSecretUntil", w.created_at as "createdAt"`;

/** What an owner gives of a new webhook. */
export type NewWebhook = Pick<Webhook, "url" | "asked" | "timing" | "payload"> & { filters: ChangeFilters };

/**
 * Stores a webhook, in the caller's transaction. `seal` gives its secret as it is stored, for its number.
 *
 * @throws ApiError LIMIT_EXCEEDED if the key, or the service, has as many as it may
 */
export async function addWebhook(
  queries: Queries,
  made: NewWebhook & { keyId: number },
  seal: (id: number) => Buffer,
): Promise<number> {
  // Other requests of the key wait here, so that together they do not pass the bound.
  await queries.query("select from api_keys where id = $1 for update", [made.keyId]);
  const [counts] = await queries.query<{ own: number; all: number }>(
    `select (select count(*) from webhooks where key_id = $1)::int as own,
       (select count(*) from webhooks)::int as all`,
    [made.keyId],
  );
  if ((counts?.own ?? 0) >= MAX_OF_KEY) {
    throw new ApiError("LIMIT_EXCEEDED", `A key may have at most ${MAX_OF_KEY} webhooks; delete one first.`);
  }
  if ((counts?.all ?? 0) >= MAX_WEBHOOKS) {
    throw new ApiError("LIMIT_EXCEEDED", `This service has reached its limit of ${MAX_WEBHOOKS} webhooks.`);
  }
  const [next] = await queries.query<{ id: number }>(
    "select nextval(pg_get_serial_sequence('webhooks', 'id'))::int as id",
  );
  const id = next?.id ?? 0;
  await queries.query(
    `insert into webhooks (id, key_id, url, asked, filters, timing, payload, secret)
     overriding system value values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      id,
      made.keyId,
      made.url,
      JSON.stringify(made.asked),
      JSON.stringify(made.filters),
      made.timing,
      made.payload,
      seal(id),
    ],
  );
  return id;
}

/** The webhooks of a key, or of all keys; with `id` that one alone. */
export const listWebhooks = (
  { query }: Queries,
  { keyId, id = null }: { keyId: number | null; id?: number | null },
): Promise<Webhook[]> =>
  query<Webhook>(
    `select ${WEBHOOK_COLUMNS} from webhooks w
     where ($1::int is null or key_id = $1) and ($2::int is null or id = $2) order by id`,
    [keyId, id],
  );

/** What an owner may change. */
export type Changes = {
  url?: string | undefined;
  filters?: { asked: Asked; filters: ChangeFilters } | undefined;
  timing?: Webhook["timing"] | undefined;
  payload?: Payload | undefined;
};

/** A webhook with a new URL must be verified again. */
export async function changeWebhook(
  queries: Queries,
  id: number,
  { url, filters, timing, payload }: Changes,
): Promise<void> {
  await noteWebhookChange(queries);
  await queries.query(
    `update webhooks set url = coalesce($2, url),
       state = case when $2 is not null and $2 <> url and state = 'active' then 'unverified' else state end,
       asked = coalesce($3, asked), filters = coalesce($4, filters), timing = coalesce($5, timing),
       payload = coalesce($6, payload)
     where id = $1`,
    [
      id,
      url ?? null,
      filters ? JSON.stringify(filters.asked) : null,
      filters ? JSON.stringify(filters.filters) : null,
      timing ?? null,
      payload ?? null,
    ],
  );
}

/** The previous secret keeps signing for a while. */
export async function rotateSecret({ query }: Queries, id: number, sealed: Buffer): Promise<void> {
  await query(
    `update webhooks set old_secret = secret, secret = $2,
       old_secret_until = now() + make_interval(hours => ${OVERLAP_HOURS}) where id = $1`,
    [id, sealed],
  );
}

export async function removeWebhook(queries: Queries, id: number): Promise<void> {
  await noteWebhookChange(queries);
  await queries.query("delete from webhooks where id = $1", [id]);
}

/** False if another test message was sent a short while ago. */
export async function noteTest({ query }: Queries, id: number, seconds: number): Promise<boolean> {
  const rows = await query(
    `update webhooks set tested_at = now()
     where id = $1 and (tested_at is null or tested_at < now() - make_interval(secs => $2)) returning id`,
    [id, seconds],
  );
  return rows.length > 0;
}

/**
 * Activates a webhook from the feed's present position; `feed` is null without a feed. False if the URL is no longer
 * the tested one.
 */
export async function activate(
  queries: Queries,
  { id, url, feed }: Pick<Webhook, "id" | "url"> & { feed: Pick<FeedState, "epoch" | "newest"> | null },
): Promise<boolean> {
  await noteWebhookChange(queries);
  // A service that never sorted anything out begins here, not where its first worker finds the feed later.
  await queries.query(
    "update webhook_feed set epoch = $1, number = $2 where epoch is null and $1::text is not null",
    [feed?.epoch ?? null, feed?.newest ?? 0],
  );
  const rows = await queries.query(
    `update webhooks set state = 'active', disabled_because = null, failures = 0, failing_since = null, next_at = now()
     where id = $1 and url = $2 returning id`,
    [id, url],
  );
  return rows.length > 0;
}

/** Ends a webhook until it is verified again. What waits is left out, and its number said. */
export async function disable(queries: Queries, id: number, because: string): Promise<void> {
  await noteWebhookChange(queries);
  await queries.query("select from webhooks where id = $1 for update", [id]);
  await queries.query(
    `with left_out as (
       update webhook_deliveries set finished_at = now(), is_delivered = false
       where webhook_id = $1 and finished_at is null returning id)
     update webhooks set state = 'disabled', disabled_because = $2, waiting = 0, gap_reason = null, gap_after = null,
       dropped = dropped + (select count(*) from left_out)
     where id = $1`,
    [id, because],
  );
}

/** Those that get changes. A revoked key's do not. */
export async function readSubscriptions({
  query,
}: Queries): Promise<{ version: number; list: Subscription[] }> {
  const [state] = await query<{ version: number }>("select version::float8 as version from webhook_feed");
  const list = await query<Subscription>(
    `select w.id, w.key_id as "keyId", w.timing, w.filters from webhooks w join api_keys k on k.id = w.key_id
     where w.state = 'active' and k.revoked_at is null order by w.id`,
  );
  return { version: state?.version ?? 0, list };
}
