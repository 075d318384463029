// Also runs as: slow
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { AT_ONCE } from "../../src/api/features/webhooks/bounds.ts";
import { pairLocks } from "../../src/api/server/postgres/advisoryLocks.ts";
import { isSlow, wasShown } from "../support/size.ts";
import { addWebhooks } from "./manyWebhooks.ts";
import { openReceiver, type Receiver } from "./receiver.ts";
import { openStage, SECRET_KEY, type Stage } from "./stage.ts";

/*
 * Processes sharing a service's webhooks, of which there are more than one process serves at once.
 */
const WEBHOOKS = AT_ONCE.all + 36;
const CREDITS = 1_000;
const NAMES = ["a.eth", "b.eth", "c.eth"];

let stage: Stage;
let receiver: Receiver;
let keys: number[];
beforeAll(async () => {
  stage = await openStage({ isPaid: true, timeoutMs: 20_000 });
});
beforeEach(async () => {
  receiver = await openReceiver("0.0.0.0");
  // Slow enough for both processes to have their turn, also on a busy machine.
  receiver.answer = (response) => void sleep(400).then(() => response.writeHead(204).end());
  keys = await addWebhooks(stage.store, {
    count: WEBHOOKS,
    secretKey: SECRET_KEY,
    credits: CREDITS,
    urlOf: (i) => `http://127.0.0.${1 + (i % 64)}:${receiver.port}/${i}`,
    filtersOf: () => ({ types: ["resolver.changed"] }),
  });
});
afterEach(async () => {
  await stage.store.query("delete from webhooks");
  receiver.close();
});
afterAll(() => stage.close());

/** Hundreds of deliveries take some seconds, and more on a busy machine. */
const until = (holds: () => void | Promise<void>): Promise<void> =>
  vi.waitFor(holds, { timeout: 60_000, interval: 20 });

/** The processes serving webhooks now, by their connections. */
async function serving(): Promise<number[]> {
  const { rows } = await stage.play.tables.pool.query<{ pid: number }>(
    "select distinct pid from pg_locks where locktype = 'advisory' and classid = $1",
    [pairLocks.webhookTurn],
  );
  return rows.map(({ pid }) => pid);
}

/** What each webhook received, by path, in order of arrival. */
const numbersOf = ({ arrived }: Receiver): number[][] =>
  [...Map.groupBy(arrived, ({ path }) => path).values()].map((list) =>
    list.map(({ id }) => Number(id.split("-")[1])),
  );

async function allArrived(): Promise<void> {
  await until(async () => {
    const [row] = await stage.store.query<{ waiting: number }>(
      "select coalesce(sum(waiting), 0)::int as waiting from webhooks",
    );
    expect(row?.waiting).toBe(0);
    expect(new Set(receiver.arrived.map(({ path, id }) => `${path} ${id}`)).size).toBe(
      WEBHOOKS * NAMES.length,
    );
  });
}

async function expectCharged(): Promise<void> {
  const left = (await stage.keys.list()).filter(({ id }) => keys.includes(id));
  const paid = left.reduce((sum, { credits }) => sum + CREDITS - credits, 0);
  expect(paid).toBe(WEBHOOKS * NAMES.length);
}

test.skipIf(wasShown())(
  "two processes serve webhooks at the same time, each webhook in order and each message once",
  async () => {
    const both = [stage.start(), stage.start()];
    await stage.sorted();
    await stage.block(...NAMES);
    await until(async () => expect((await serving()).length).toBe(2));
    await allArrived();
    const numbers = numbersOf(receiver);
    expect(numbers).toHaveLength(WEBHOOKS);
    for (const list of numbers) {
      expect(list).toHaveLength(NAMES.length);
      expect(list).toEqual([...list].sort((a, b) => a - b));
    }
    await expectCharged();
    await until(async () => expect(await serving()).toEqual([]));
    await Promise.all(both.map((one) => one.stop()));
  },
);

test.runIf(isSlow())(
  "if connections of processes are cut repeatedly, nothing is lost, out of order or charged twice",
  async () => {
    const all = [stage.start(), stage.start(), stage.start()];
    await stage.sorted();
    await stage.block(...NAMES);
    for (let kills = 0; kills < 3; kills++) {
      const arrived = receiver.arrived.length;
      await until(async () => expect((await serving()).length).toBeGreaterThan(0));
      const [pid] = await serving();
      await stage.play.tables.pool.query("select pg_terminate_backend($1)", [pid]);
      await until(() => expect(receiver.arrived.length).toBeGreaterThan(arrived));
    }
    await allArrived();
    for (const list of numbersOf(receiver)) {
      const firsts = list.filter((number, i) => list.indexOf(number) === i);
      expect(firsts, "what comes again comes before anything later").toEqual(
        [...firsts].sort((a, b) => a - b),
      );
      expect(list).toEqual([...list].sort((a, b) => a - b));
    }
    await expectCharged();
    await Promise.all(all.map((one) => one.stop()));
  },
);

test.skipIf(wasShown())("a webhook that fails at one process is not retried early by another", async () => {
  receiver.answer = (response) => void response.writeHead(500).end();
  // An hour until the next attempt, however slow the machine.
  await stage.store.query("update webhooks set failures = 5, failing_since = now()");
  const both = [stage.start(), stage.start()];
  await stage.sorted();
  await stage.block("a.eth");
  await until(() => expect(new Set(receiver.arrived.map(({ path }) => path)).size).toBe(WEBHOOKS));
  await until(async () => expect(await serving()).toEqual([]));
  expect(receiver.arrived).toHaveLength(WEBHOOKS);
  await Promise.all(both.map((one) => one.stop()));
});
