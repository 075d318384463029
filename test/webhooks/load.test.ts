import { afterAll, beforeAll, expect, test } from "vitest";
import { MAX_MATCHES } from "../../src/api/webhooks/bounds.ts";
import { createMatcher } from "../../src/api/webhooks/matcher.ts";
import { contracts } from "../query/rows.ts";
import { openStage, type Stage } from "./stage.ts";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

const WEBHOOKS = 400;
const NAMES = 40;

/** The longest time in which nothing else of the process had its turn. */
async function longestBlock(work: () => Promise<void>): Promise<number> {
  let [last, longest] = [performance.now(), 0];
  const timer = setInterval(() => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }, 5);
  await work().finally(() => clearInterval(timer));
  return longest;
}

test("subscriptions that match everything are taken in parts, lose nothing, and hold nothing up", async () => {
  const { store, play } = stage;
  const matcher = createMatcher({ db: play.tables.db, store, contracts, isPaid: false });
  while (await matcher.step());
  const owners = await Promise.all(
    Array.from({ length: 20 }, () =>
      stage.keys.create({ label: "", owner: null, credits: 1, reason: "test" }),
    ),
  );
  await store.query(
    `insert into webhooks (key_id, url, asked, filters, timing, payload, secret, state)
     select ($2::int[])[1 + i % 20], 'https://receiver.example/', '{}', '{}', 'instant', 'full', '', 'active'
     from generate_series(1, $1) i`,
    [WEBHOOKS, owners.map(({ id }) => id)],
  );
  await store.query("update webhook_feed set version = version + 1");
  const before = await play.newest();
  await stage.block(...Array.from({ length: NAMES }, (_, i) => `n${i}.eth`));
  const changes = (await play.changesAfter(before)).filter(({ type }) => type !== "block.ended");
  expect(changes.length * WEBHOOKS).toBeGreaterThan(MAX_MATCHES);
  let steps = 0;
  const blocked = await longestBlock(async () => {
    do steps++;
    while (await matcher.step());
  });
  expect(steps).toBeGreaterThan(1);
  expect(blocked).toBeLessThan(1_000);
  const [found] = await store.query<{ deliveries: number; events: number; least: number; most: number }>(
    `select (select count(*) from webhook_deliveries)::int as deliveries, (select count(*) from webhook_events)::int as events,
       min(waiting) as least, max(waiting) as most from webhooks`,
  );
  const each = changes.length;
  expect(found).toEqual({ deliveries: each * WEBHOOKS, events: each, least: each, most: each });
});
