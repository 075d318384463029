import type { Queries } from "../postgres/client.ts";

/**
 * Announces that the set of active webhooks changed: the worker reloads its list, and matches nothing until this
 * transaction ends. Call it first in each transaction that changes webhooks, because the worker locks this row first
 * too; so the two cannot deadlock.
 */
export async function noteWebhookChange({ query }: Queries): Promise<void> {
  await query(
    `INSERT INTO webhook_feed (version) VALUES (1)
     ON CONFLICT (one) DO UPDATE SET version = webhook_feed.version + 1`,
  );
}

/** A sign-up that replaces a key takes its webhooks along, in its transaction. */
export async function moveWebhooks(
  queries: Queries,
  { from, to }: { from: number; to: number },
): Promise<void> {
  await noteWebhookChange(queries);
  await queries.query("UPDATE webhooks SET key_id = $2 WHERE key_id = $1", [from, to]);
}
