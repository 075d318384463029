import { MAX_OF_KEY } from "../../src/api/features/webhooks/bounds.ts";
import { newSecret, sealSecret } from "../../src/api/features/webhooks/secrets.ts";
import { keysIn } from "../../src/api/server/serviceDb/keys.ts";
import type { Store } from "../../src/api/server/serviceDb/store.ts";

type Many = {
  count: number;
  /** Where each is sent. */
  urlOf: (i: number) => string;
  filtersOf: (i: number) => object;
  secretKey: Buffer;
  /** The number of webhooks per key. */
  credits?: number;
};

/**
 * Active webhooks of as many keys as needed, without tests of their receivers. @returns the
 * numbers of the keys
 */
export async function addWebhooks(
  store: Store,
  { count, urlOf, filtersOf, secretKey, credits = 0 }: Many,
): Promise<number[]> {
  const keys = await Promise.all(
    Array.from({ length: Math.ceil(count / MAX_OF_KEY) }, () =>
      keysIn(store).create({ label: "", owner: null, credits, reason: "test" }),
    ),
  );
  const all = Array.from({ length: count }, (_, i) => i);
  const rows = await store.query<{ id: number }>(
    `insert into webhooks (key_id, url, asked, filters, timing, payload, secret)
     select key, url, '{}', filters::json, 'instant', 'full', ''
     from unnest($1::int[], $2::text[], $3::text[]) as given (key, url, filters) returning id`,
    [
      all.map((i) => keys[Math.floor(i / MAX_OF_KEY)]?.id),
      all.map(urlOf),
      all.map((i) => JSON.stringify(filtersOf(i))),
    ],
  );
  const sealed = rows.map(({ id }) => sealSecret(newSecret(), { key: secretKey, webhookId: id }));
  await store.query(
    `update webhooks set secret = decode(given.secret, 'hex'), state = 'active'
     from unnest($1::int[], $2::text[]) as given (of, secret) where id = of`,
    [rows.map(({ id }) => id), sealed.map((one) => one.toString("hex"))],
  );
  await store.query(
    "insert into webhook_feed (version) values (1) on conflict (one) do update set version = webhook_feed.version + 1",
  );
  return keys.map(({ id }) => id);
}
