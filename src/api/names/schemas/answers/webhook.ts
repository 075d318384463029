import { z } from "@hono/zod-openapi";
import { position } from "./change.ts";
import { count } from "./values.ts";

const time = (description: string) =>
  z.iso.datetime().openapi({ description, example: "2026-01-31T12:00:00.000Z" });

/** A webhook, without its secret. */
export const webhook = z
  .strictObject({
    id: z.int().min(1).openapi({ example: 1 }),
    url: z.string().openapi({ example: "https://receiver.example.org/namedex" }),
    filters: z.record(z.string(), z.string()).openapi({
      description: "As they were given",
      example: { name: "alice.eth" },
    }),
    when: z.enum(["instant", "final"]),
    payload: z.enum(["thin", "full"]),
    state: z.enum(["unverified", "active", "disabled"]).openapi({
      description: "Only an active one gets changes: `POST /webhooks/{id}/test` makes it so",
    }),
    disabled_because: z.string().nullable().openapi({ description: "Null unless it is disabled" }),
    waiting: count.openapi({ description: "Deliveries that have not arrived yet" }),
    left_out: count.openapi({
      description:
        "Changes that were left out, because too many waited or the webhook was disabled. Those before a `webhook.gap` message are not counted here",
    }),
    failing_since: time("Since when every attempt failed; null if the last one did not").nullable(),
    next_attempt: time("When it is tried again, while it fails; else null").nullable(),
    last_position: position.nullable().openapi({
      description:
        "Position of the last change that has arrived: give it as `after` to a replay. Null: none has",
    }),
    old_secret_until: time("Until when the secret before signs, too; null if there is none").nullable(),
    created_at: time("When it was created"),
    stalled_since: time(
      "Since when a fault of this service keeps changes from it. None is lost: they come when it is over. Absent where there is none",
    ).optional(),
  })
  .openapi("Webhook");

const status = z.int().nullable().openapi({
  description: "HTTP status of the last answer; null if there was none",
  example: 200,
});

const error = z.string().nullable().openapi({
  description: "Why there was no answer; null otherwise",
  example: "receiver.example.org did not answer in time",
});

export const webhookTest = z
  .strictObject({
    is_delivered: z.boolean().openapi({ description: "True if the receiver answered 2xx" }),
    status,
    error,
    milliseconds: count.openapi({ description: "Time until the answer" }),
    webhook,
  })
  .openapi("WebhookTest");

export const webhookDelivery = z
  .strictObject({
    id: z.string().openapi({ example: "17" }),
    message_id: z.string().openapi({
      description: "The header `webhook-id`; of a change its position",
      example: "8f14e45fceea-1204",
    }),
    type: z.string().openapi({ example: "name.renewed" }),
    state: z.enum(["waiting", "delivered", "left_out"]),
    attempts: count,
    status,
    error,
    created_at: time("Since when it was to be sent"),
    attempted_at: time("When it was tried last; null if it was not").nullable(),
  })
  .openapi("WebhookDelivery");
