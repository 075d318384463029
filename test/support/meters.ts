import { createFeedMeters } from "../../src/api/features/feed/metrics.ts";
import { createWebhookMeters } from "../../src/api/features/webhooks/metrics.ts";
import { createMeters } from "../../src/api/server/observe/meters.ts";

/** Every metric of ours, by its name: those of the core and of all features. */
export async function allMetrics(): Promise<Map<string, { labelNames?: string[] }>> {
  const meters = createMeters();
  createFeedMeters(meters, String);
  createWebhookMeters(meters);
  const { registry } = meters;
  const all = await registry.getMetricsAsJSON();
  return new Map(all.map(({ name }) => [name, registry.getSingleMetric(name) as { labelNames?: string[] }]));
}
