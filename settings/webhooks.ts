import { z } from "zod";
import type { changesVariables } from "./changes.ts";
import { SettingsError } from "./check.ts";
import { onOrOff, text } from "./kinds.ts";
import { optional, type ValuesOf, withDefault } from "./variable.ts";

/** `secretKey`: 32 bytes that encrypt the secrets of webhooks; null where no webhooks are sent. */
export type WebhookSettings = {
  /** Whether keys may have webhooks at `/webhooks`; the feed must be on too. */
  hasWebhooks: boolean;
  webhooks: { secretKey: Buffer | null };
};

export const webhookVariables = {
  WEBHOOKS: withDefault("on", onOrOff, {
    example: "off",
    meaning: "`off` disables [webhooks](webhooks.md), even if `WEBHOOK_SECRET_KEY` is set.",
  }),
  WEBHOOK_SECRET_KEY: optional(
    text("64 hexadecimal digits, the same in all replicas", z.string().regex(/^[0-9a-fA-F]{64}$/)),
    {
      example: "$(openssl rand -hex 32)",
      isSecret: true,
      unset: "webhooks off",
      meaning:
        "Key that encrypts [webhook](webhooks.md) secrets in the database. If you change it, existing secrets become unreadable and owners must create new ones.",
    },
  ),
};

/** @throws SettingsError if webhooks are set up and there is no feed that they could send */
export function toWebhookSettings({
  FEED: feed,
  WEBHOOKS: webhooks,
  WEBHOOK_SECRET_KEY: key,
}: ValuesOf<typeof webhookVariables & typeof changesVariables>): WebhookSettings {
  if (feed === "off" && webhooks === "on" && key !== undefined) {
    throw new SettingsError(
      "WEBHOOK_SECRET_KEY is set, but webhooks need the feed: set FEED=on or WEBHOOKS=off",
    );
  }
  return {
    hasWebhooks: webhooks === "on",
    webhooks: { secretKey: key === undefined ? null : Buffer.from(key, "hex") },
  };
}
