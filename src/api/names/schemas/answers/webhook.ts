import { z } from "@hono/zod-openapi";
import { position } from "./change.ts";
import { count } from "./valuesAnswer.ts";

const time = (description: string) =>
  z.iso.datetime().openapi({ description, example: "2026-01-31T12:00:00.000Z" });

/** A webhook, without its secret. */
export const webhook = z
  .strictObject({
    id: z.int().min(1).openapi({ example: 1 }),
    url: z.string().openapi({ example: "https://receiver.example.org/namedex" }),
    filters: z.record(z.string(), z.string()).openapi({
      description: "As given",
      example: { name: "alice.eth" },
    }),
    when: z.enum(["instant", "final"]),
    payload: z.enum(["thin", "full"]),
    state: z.enum(["unverified", "active", "disabled"]).openapi({
      description: "Only an active webhook receives changes: `POST /webhooks/{id}/test` activates it",
    }),
    disabled_because: z.string().nullable().openapi({ description: "Null unless disabled" }),
    waiting: count.openapi({ description: "Deliveries still waiting" }),
    left_out: count.openapi({
      description:
        "Changes dropped because too many waited or the webhook was disabled. Changes before a `webhook.gap` message are not counted",
    }),
    failing_since: time(
      "Start of the current run of failures; null if the last attempt succeeded",
    ).nullable(),
    next_attempt: time("Next attempt, while failing; otherwise null").nullable(),
    last_position: position.nullable().openapi({
      description:
        "Position of the last delivered change, to send as `after` to a replay; null if none was delivered",
    }),
    old_secret_until: time("Until when the previous secret also signs; null if there is none").nullable(),
    created_at: time("Creation time"),
    stalled_since: time(
      "Since when a fault of this service delays its changes. None is lost: they arrive once it is fixed. Absent without a fault",
    ).optional(),
  })
  .openapi("Webhook");

const status = z.int().nullable().openapi({
  description: "HTTP status of the last response; null if there was none",
  example: 200,
});

const error = z.string().nullable().openapi({
  description: "Why there was no response; null otherwise",
  example: "receiver.example.org did not answer in time",
});

export const webhookTest = z
  .strictObject({
    is_delivered: z.boolean().openapi({ description: "True if the receiver responded with 2xx" }),
    status,
    error,
    milliseconds: count.openapi({ description: "Time to the response" }),
    webhook,
  })
  .openapi("WebhookTest");

export const webhookDelivery = z
  .strictObject({
    id: z.string().openapi({ example: "17" }),
    message_id: z.string().openapi({
      description: "The header `webhook-id`; for a change, its position",
      example: "8f14e45fceea-1204",
    }),
    type: z.string().openapi({ example: "name.renewed" }),
    state: z.enum(["waiting", "delivered", "left_out"]),
    attempts: count,
    status,
    error,
    created_at: time("When it was due"),
    attempted_at: time("Last attempt; null if not attempted").nullable(),
  })
  .openapi("WebhookDelivery");
