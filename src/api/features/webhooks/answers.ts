import type { z } from "@hono/zod-openapi";
import type * as schemas from "../../names/schemas/answers/webhook.ts";
import type { Delivery } from "./queue.ts";
import type { Webhook } from "./table.ts";
import type { Tested } from "./webhooks.ts";

const timeOf = (date: Date | null): string | null => date?.toISOString() ?? null;

/** A webhook as its owner sees it. `stalledSince`: a fault keeps changes from all active ones, in unix seconds. */
export const toWebhook = (
  known: Webhook,
  stalledSince: number | null = null,
): z.input<typeof schemas.webhook> => ({
  id: known.id,
  url: known.url,
  filters: known.asked,
  when: known.timing,
  payload: known.payload,
  state: known.state,
  disabled_because: known.disabledBecause,
  waiting: known.waiting,
  left_out: known.dropped,
  failing_since: timeOf(known.failingSince),
  next_attempt: known.failures > 0 && known.state === "active" ? timeOf(known.nextAt) : null,
  last_position: known.lastPosition,
  old_secret_until: timeOf(known.oldSecretUntil),
  created_at: known.createdAt.toISOString(),
  ...(stalledSince !== null &&
    known.state === "active" && { stalled_since: timeOf(new Date(stalledSince * 1_000)) ?? undefined }),
});

export const toWebhookTest = ({
  isDelivered,
  status,
  error,
  milliseconds,
  webhook,
}: Tested): z.input<typeof schemas.webhookTest> => ({
  is_delivered: isDelivered,
  status,
  error,
  milliseconds,
  webhook: toWebhook(webhook),
});

export const toDelivery = (known: Delivery): z.input<typeof schemas.webhookDelivery> => ({
  id: known.id,
  message_id: known.messageId,
  type: known.type,
  state: stateOf(known),
  attempts: known.attempts,
  status: known.status,
  error: known.error,
  created_at: known.createdAt.toISOString(),
  attempted_at: timeOf(known.attemptedAt),
});

const stateOf = ({ isDelivered }: Delivery) =>
  isDelivered === null ? ("waiting" as const) : isDelivered ? ("delivered" as const) : ("left_out" as const);
