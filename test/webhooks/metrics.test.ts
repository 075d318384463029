import { afterAll, beforeAll, expect, test } from "vitest";
import { readWebhooksState } from "../../src/api/features/webhooks/state.ts";
import { openReceiver, type Receiver, status } from "./receiver.ts";
import { openStage, type Stage, until } from "./stage.ts";

let stage: Stage;
let receivers: Receiver[];
beforeAll(async () => {
  stage = await openStage();
  receivers = await Promise.all([openReceiver(), openReceiver(), openReceiver()]);
});
afterAll(async () => {
  for (const one of receivers) one.close();
  await stage.close();
});

const readState = () => readWebhooksState(stage.store, { isPaid: false });
const counted = async (outcome: string): Promise<number> => {
  const metric = await stage.meters.registry.getSingleMetric("namedex_webhook_attempts_total")?.get();
  return metric?.values.find(({ labels }) => labels.outcome === outcome)?.value ?? 0;
};

test("attempts are counted by outcome, deliveries timed, and webhooks counted by state", async () => {
  const [good, failing, gone] = receivers as [Receiver, Receiver, Receiver];
  const worker = stage.start();
  for (const { url } of receivers) await stage.subscribe(url, { filters: { type: "resolver.changed" } });
  await stage.ask("POST", "/webhooks", { body: { url: good.url } });
  failing.answer = status(500);
  gone.answer = status(410);
  await stage.block("a.eth", "b.eth");
  await until(async () => expect(await counted("delivered")).toBe(2));
  await until(async () => expect(await counted("refused")).toBe(2));
  await until(async () =>
    expect(await readState()).toEqual({
      states: { active: 1, failing: 1, unverified: 1, disabled: 1 },
      waiting: 2,
      oldestSeconds: 0,
      leftOut: 2,
    }),
  );
  failing.answer = (response) => response.socket?.destroy();
  await stage.passWaits();
  await until(async () => expect(await counted("no_answer")).toBe(1));
  const metrics = await stage.meters.registry.metrics();
  expect(metrics).toContain("namedex_webhook_delivery_seconds_count 2\n");
  expect(metrics).toMatch(/^namedex_webhook_delivery_seconds_sum [\d.e-]*[1-9]/m);
  await worker.stop();
});

test("the oldest delivery ignores failing receivers and owners that cannot pay", async () => {
  await stage.store.query("update webhooks set failures = 0 where state = 'active'");
  await stage.store.query("update webhook_deliveries set created_at = now() - interval '90 s'");
  expect((await readState()).oldestSeconds).toBeGreaterThanOrEqual(90);
  expect((await readState()).oldestSeconds).toBeLessThan(300);
  await stage.store.query("update api_keys set credits = 0");
  expect((await readWebhooksState(stage.store, { isPaid: true })).oldestSeconds).toBe(0);
  await stage.keys.revoke(stage.key.id);
  expect((await readState()).states).toEqual({ active: 0, failing: 0, unverified: 0, disabled: 0 });
});
