import { Histogram } from "prom-client";
import type { Meters } from "../../server/observe/meters.ts";
import type { DeliveryObserver } from "./deliver.ts";
import type { WebhooksState } from "./state.ts";

/** Buckets from the quickest deliveries to those that waited for hours. */
const DELIVERY_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 30, 120, 600, 3_600, 21_600];

/** Metrics of webhooks: `observer` counts attempts, `note` sets those of the tables. */
export function createWebhookMeters({ registry, counter, gauge }: Meters) {
  const attempts = counter(
    "namedex_webhook_attempts_total",
    "Attempts to deliver webhooks by outcome: delivered, refused (an answer other than 2xx), no_answer.",
    ["outcome"],
  );
  const seconds = new Histogram({
    name: "namedex_webhook_delivery_seconds",
    help: "Time from when a change was matched to its arrival, further attempts included.",
    buckets: DELIVERY_SECONDS,
    registers: [registry],
  });
  const webhooks = gauge("namedex_webhooks", "Webhooks by state: active, failing, unverified, disabled.", [
    "state",
  ]);
  const waitingNow = gauge("namedex_webhook_waiting", "Deliveries of webhooks that wait.");
  const oldest = gauge(
    "namedex_webhook_oldest_waiting_seconds",
    "Seconds since the oldest delivery began to wait, of receivers that do not fail; 0 if none waits.",
  );
  const dropped = gauge(
    "namedex_webhook_left_out",
    "Changes left out because the queue of a webhook was full, and not yet reported by a message.",
  );
  const stalled = gauge(
    "namedex_webhook_stalled_seconds",
    "For how long a fault has held back changes from active webhooks; 0 if none does.",
  );
  const observer: DeliveryObserver = {
    delivered: (duration) => {
      attempts.inc({ outcome: "delivered" });
      seconds.observe(duration);
    },
    failed: (outcome) => attempts.inc({ outcome }),
  };
  return {
    observer,
    /** @param stalledFor in seconds; 0 if nothing is held back */
    note: ({ states, waiting, oldestSeconds, leftOut }: WebhooksState, stalledFor: number) => {
      for (const [state, count] of Object.entries(states)) webhooks.set({ state }, count);
      waitingNow.set(waiting);
      oldest.set(oldestSeconds);
      dropped.set(leftOut);
      stalled.set(stalledFor);
    },
  };
}
