import type { DeliveryObserver } from "../../features/webhooks/deliver.ts";
import type { WebhooksState } from "../../features/webhooks/state.ts";
import type { Meters } from "./meters.ts";

/** Counts attempts to deliver webhooks by their outcome, and how long deliveries took. */
export const observeWebhooks = ({ webhookAttempts, webhookSeconds }: Meters): DeliveryObserver => ({
  delivered: (seconds) => {
    webhookAttempts.inc({ outcome: "delivered" });
    webhookSeconds.observe(seconds);
  },
  failed: (outcome) => webhookAttempts.inc({ outcome }),
});

export function noteWebhooks(
  meters: Meters,
  { states, waiting, oldestSeconds, leftOut }: WebhooksState,
): void {
  for (const [state, count] of Object.entries(states)) meters.webhooks.set({ state }, count);
  meters.webhookWaiting.set(waiting);
  meters.webhookOldest.set(oldestSeconds);
  meters.webhookLeftOut.set(leftOut);
}
