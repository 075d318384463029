import type { Queries } from "../postgres/client.ts";

/**
 * Says that the webhooks which get changes are others now: the worker reads its list again. Until the end of this transaction it
 * sorts nothing out. It comes first in each transaction that changes webhooks, as the worker takes this row first, too: the two
 * cannot wait for each other.
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
