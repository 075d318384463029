import type { Caller } from "../../server/access/access.ts";
import type { Limits } from "../../server/access/limits.ts";
import { CHALLENGE, findUsable } from "../../server/access/metered.ts";
import { ApiError, retryLater } from "../../server/errors/errors.ts";
import { type Outgoing, OutgoingError } from "../../server/outgoing/outgoing.ts";
import type { Db } from "../../server/postgres/db.ts";
import type { KeyState, Keys } from "../../server/serviceDb/keys.ts";
import type { Store } from "../../server/serviceDb/store.ts";
import { readFeedIfAny } from "../feed/read.ts";
import { attempt, isSuccess, type Result } from "./attempt.ts";
import { MAX_URL, TEST_SECONDS } from "./bounds.ts";
import { bodyOf, ownMessage, TEST_TYPE } from "./message.ts";
import { listDeliveries } from "./queue.ts";
import { replay } from "./replay.ts";
import { newSecret, openSecrets, sealSecret } from "./secrets.ts";
import { readStalledSince } from "./state.ts";
import {
  activate,
  addWebhook,
  type Changes,
  changeWebhook,
  disable,
  listWebhooks,
  type NewWebhook,
  noteTest,
  removeWebhook,
  rotateSecret,
  type Webhook,
} from "./table.ts";

export type WebhooksPlan = {
  store: Store;
  keys: Keys;
  limits: Pick<Limits, "failures">;
  receivers: Outgoing;
  /** Encrypts the secrets that are stored; null where the operator set none. */
  secretKey: Buffer | null;
};

/** What an owner changes. `rotatesSecret`: a new secret is made; `isDisabled`: it gets nothing until it is verified again. */
export type WebhookChange = Changes & { rotatesSecret: boolean; isDisabled: boolean };

/** What came of a test. */
export type Tested = Result & { webhook: Webhook; isDelivered: boolean; milliseconds: number };

export type Webhooks = ReturnType<typeof createWebhooks>;

/**
 * Webhooks of the keys of callers. Each method reads the key that is sent in X-API-Key.
 *
 * @throws ApiError NOT_OFFERED, INVALID_API_KEY, RATE_LIMITED; and NOT_FOUND if the key has no such webhook
 */
export function createWebhooks(plan: WebhooksPlan) {
  const { store } = plan;
  const owned = async (id: number, caller: Caller) => {
    const key = await keyOf(plan, caller);
    return findOwned(plan, { id, keyId: key.id });
  };
  return {
    /** `secret` is shown this once. @throws ApiError INVALID_PARAMETER, LIMIT_EXCEEDED */
    create: async (made: NewWebhook, caller: Caller): Promise<{ webhook: Webhook; secret: string }> => {
      const { id: keyId } = await keyOf(plan, caller);
      const url = readUrl(plan, made.url);
      const key = secretKeyOf(plan);
      const secret = newSecret();
      const id = await store.transaction((queries) =>
        addWebhook(queries, { ...made, url, keyId }, (webhookId) => sealSecret(secret, { key, webhookId })),
      );
      return { webhook: await findOwned(plan, { id, keyId }), secret };
    },
    list: async (caller: Caller) => listWebhooks(store, { keyId: (await keyOf(plan, caller)).id }),
    find: owned,
    /** `secret` is null where it stays. @throws ApiError INVALID_PARAMETER */
    change: async (id: number, change: WebhookChange, caller: Caller) =>
      changeOwned(plan, await owned(id, caller), change),
    remove: async (id: number, caller: Caller) => {
      await owned(id, caller);
      await store.transaction((queries) => removeWebhook(queries, id));
    },
    /** Sends a test message. A webhook whose receiver answers 2xx gets changes from now on; `db` has the feed. */
    test: async (id: number, { db }: { db: Db }, caller: Caller) => test(plan, await owned(id, caller), db),
    /** Sends past changes again. @throws ApiError POSITION_GONE, INDEX_NOT_READY */
    replay: async (id: number, asked: Parameters<typeof replay>[2], caller: Caller) =>
      replay(store, await owned(id, caller), asked),
    /** Since when a fault keeps changes from all active webhooks, in unix seconds; null if none does. `db` has the feed. */
    stalledSince: (db: Db) => readStalledSince(db, store),
    deliveries: async (id: number, asked: Parameters<typeof listDeliveries>[2], caller: Caller) => {
      await owned(id, caller);
      return listDeliveries(store, id, asked);
    },
  };
}

function secretKeyOf({ secretKey }: WebhooksPlan): Buffer {
  if (secretKey !== null) return secretKey;
  throw new ApiError(
    "NOT_OFFERED",
    "This service sends no webhooks: its operator has not set WEBHOOK_SECRET_KEY. GET /changes and its stream have the same changes.",
  );
}

async function keyOf(plan: WebhooksPlan, caller: Caller): Promise<KeyState> {
  secretKeyOf(plan);
  const key = caller.header("x-api-key");
  if (key !== undefined) return findUsable(plan, { key, caller });
  throw new ApiError("INVALID_API_KEY", "Webhooks belong to a key: send it in X-API-Key.", {
    headers: CHALLENGE,
  });
}

async function findOwned({ store }: WebhooksPlan, of: { id: number; keyId: number }): Promise<Webhook> {
  const [webhook] = await listWebhooks(store, of);
  if (webhook !== undefined) return webhook;
  throw new ApiError("NOT_FOUND", `The key has no webhook ${of.id}; GET /webhooks lists its webhooks.`);
}

/** @throws ApiError INVALID_PARAMETER if no request may go there */
function readUrl({ receivers }: WebhooksPlan, text: string): string {
  const wrong = (why: string) => new ApiError("INVALID_PARAMETER", `\`url\` cannot be used: ${why}.`);
  if (!URL.canParse(text)) throw wrong("it is not a URL");
  const url = new URL(text);
  url.hash = "";
  if (url.href.length > MAX_URL) throw wrong(`it is longer than ${MAX_URL} characters`);
  try {
    receivers.check(url);
  } catch (thrown) {
    if (thrown instanceof OutgoingError) throw wrong(thrown.message);
    throw thrown;
  }
  return url.href;
}

async function changeOwned(
  plan: WebhooksPlan,
  { id, keyId }: Webhook,
  { rotatesSecret, isDisabled, url, ...changes }: WebhookChange,
): Promise<{ webhook: Webhook; secret: string | null }> {
  const { store } = plan;
  const key = secretKeyOf(plan);
  const secret = rotatesSecret ? newSecret() : null;
  const read = url === undefined ? undefined : readUrl(plan, url);
  await store.transaction(async (queries) => {
    await changeWebhook(queries, id, { ...changes, url: read });
    if (secret !== null) await rotateSecret(queries, id, sealSecret(secret, { key, webhookId: id }));
    if (isDisabled) await disable(queries, id, "its owner disabled it");
  });
  return { webhook: await findOwned(plan, { id, keyId }), secret };
}

async function test(plan: WebhooksPlan, webhook: Webhook, db: Db): Promise<Tested> {
  const { store, receivers } = plan;
  const { id, keyId, url, payload } = webhook;
  const secrets = await readSecrets(plan, id);
  const feed = await readFeedIfAny(db); // Before the test is noted: without the index nothing is sent.
  if (!(await noteTest(store, id, TEST_SECONDS))) {
    const message = `A webhook can be tested once every ${TEST_SECONDS} seconds.`;
    throw retryLater("RATE_LIMITED", message, TEST_SECONDS);
  }
  const message = ownMessage(TEST_TYPE, { webhook_id: id });
  const began = performance.now();
  const result = await attempt(receivers, {
    url,
    id: message.id,
    body: bodyOf(message, payload),
    secrets,
    signal: new AbortController().signal,
  });
  const milliseconds = Math.round(performance.now() - began);
  const isDelivered = isSuccess(result);
  if (isDelivered) await store.transaction((queries) => activate(queries, { id, url, feed }));
  return { ...result, isDelivered, milliseconds, webhook: await findOwned(plan, { id, keyId }) };
}

async function readSecrets(plan: WebhooksPlan, id: number): Promise<string[]> {
  const [row] = await plan.store.query<{ secret: Buffer; old: Buffer | null }>(
    "select secret, case when old_secret_until > now() then old_secret end as old from webhooks where id = $1",
    [id],
  );
  const secrets = openSecrets([row?.secret, row?.old], { key: secretKeyOf(plan), webhookId: id });
  if (secrets !== null) return secrets;
  throw new ApiError(
    "NOT_OFFERED",
    "The secret of this webhook was encrypted with another WEBHOOK_SECRET_KEY: replace it with `rotate_secret`.",
  );
}
