import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { beginEpoch } from "../../src/api/features/feed/install.ts";
import { MAX_OF_KEY } from "../../src/api/features/webhooks/bounds.ts";
import { openReceiver, type Receiver, status } from "./receiver.ts";
import { openStage, type Stage, until } from "./stage.ts";

let stage: Stage;
let receiver: Receiver;
beforeAll(async () => {
  stage = await openStage({ isPaid: true, credits: 100_000, timeoutMs: 20_000 });
});
beforeEach(async () => {
  receiver = await openReceiver();
});
afterEach(async () => {
  await stage.clear();
  receiver.close();
});
afterAll(() => stage.close());

const ONE = { filters: { type: "resolver.changed" } };
const changesOf = ({ arrived }: Receiver) => arrived.filter(({ type }) => !type.startsWith("webhook."));
const numbersOf = (of: Receiver) => changesOf(of).map(({ id }) => Number(id.split("-")[1]));
const creditsOf = async (id: number) => (await stage.keys.list()).find((key) => key.id === id)?.credits;
const workers = () =>
  stage.play.tables.pool.query<{ pid: number }>(
    "select pid from pg_stat_activity where application_name = 'service_webhooks' and datname = current_database()",
  );

test("a test costs a credit if it arrives, and nothing if it does not", async () => {
  const { body: made } = await stage.ask("POST", "/webhooks", { body: { url: receiver.url } });
  const before = Number(await creditsOf(stage.key.id));
  const tested = async (answer: number) => {
    receiver.answer = status(answer);
    await stage.passWaits();
    const { body } = await stage.ask("POST", `/webhooks/${made.id}/test`);
    return [body.is_delivered, before - Number(await creditsOf(stage.key.id))];
  };
  expect([await tested(500), await tested(302), await tested(200)]).toEqual([
    [false, 0],
    [false, 0],
    [true, 1],
  ]);
  await stage.clear();
});

test("a service's first worker sends what has happened since a webhook was tested", async () => {
  await stage.subscribe(receiver.url, ONE);
  await stage.block("early.eth");
  const first = stage.start();
  await until(() => expect(changesOf(receiver).map(({ data }) => data.domain)).toEqual(["early.eth"]));
  await first.stop();
});

test("a worker that ends in the middle of a delivery loses nothing: another repeats it with the same id", async () => {
  const first = stage.start();
  await stage.subscribe(receiver.url, ONE);
  let held: ServerResponse | undefined;
  receiver.answer = (response) => {
    held = response;
  };
  await stage.block("a.eth", "b.eth");
  await until(() => expect(held).toBeDefined());
  await first.stop();
  receiver.answer = status(200);
  await stage.block("c.eth");
  const second = stage.start();
  await until(() => expect(changesOf(receiver).at(-1)?.data.domain).toBe("c.eth"));
  const [lost, again, ...others] = numbersOf(receiver);
  expect(again).toBe(lost);
  expect(others).toHaveLength(2);
  expect([again, ...others]).toEqual([again, ...others].sort((a, b) => Number(a) - Number(b)));
  await second.stop();
});

test("a worker continues after its connection is cut; one of two processes works, and each delivery is charged once", async () => {
  const both = [stage.start(), stage.start()];
  await stage.subscribe(receiver.url, ONE);
  const before = Number(await creditsOf(stage.key.id));
  for (let i = 0; i < 6; i++) {
    await stage.block(`cut${i % 2}.eth`);
    if (i % 2 === 0) {
      await until(() => expect(numbersOf(receiver).length).toBeGreaterThan(i));
      for (const { pid } of (await workers()).rows)
        await stage.play.tables.pool.query("select pg_terminate_backend($1)", [pid]);
    }
  }
  await until(() => expect(new Set(numbersOf(receiver)).size).toBe(6));
  const sorted = [...numbersOf(receiver)].sort((a, b) => a - b);
  expect(numbersOf(receiver)).toEqual(sorted);
  await until(async () => expect(await creditsOf(stage.key.id)).toBe(before - 6));
  const [usage] = (await stage.keys.usage(stage.key.id, new Date(0))).filter(
    ({ operation }) => operation === "webhook delivery",
  );
  expect(usage?.credits).toBeGreaterThanOrEqual(6);
  await Promise.all(both.map((one) => one.stop()));
});

test("no more deliveries wait than the key can pay for; a message says what is left out, and a replay has it", async () => {
  const worker = stage.start();
  const poor = await stage.keys.create({ label: "", owner: null, credits: 3, reason: "test" });
  const ask = (method: string, path: string, body?: unknown) =>
    stage.ask(method, path, { body, key: poor.key });
  const { body: made } = await ask("POST", "/webhooks", { url: receiver.url, ...ONE });
  expect((await ask("POST", `/webhooks/${made.id}/test`)).body.is_delivered).toBe(true);
  await stage.block("m.eth", "n.eth", "o.eth", "p.eth");
  await until(() => expect(changesOf(receiver)).toHaveLength(2));
  await stage.sorted();
  await until(async () =>
    expect((await ask("GET", `/webhooks/${made.id}`)).body).toMatchObject({ waiting: 0, left_out: 2 }),
  );
  expect(await creditsOf(poor.id)).toBe(0);
  await stage.keys.grant(poor.id, { credits: 10, reason: "test" });
  await until(() => expect(receiver.arrived.at(-1)?.type).toBe("webhook.gap"));
  const gap = receiver.arrived.at(-1)?.data ?? {};
  expect(gap).toMatchObject({ reason: "too_many_waiting", left_out: 2, webhook_id: made.id });
  await ask("POST", `/webhooks/${made.id}/replay?after=${gap.after_position}`);
  await until(() =>
    expect(changesOf(receiver).map(({ data }) => data.domain)).toEqual(["m.eth", "n.eth", "o.eth", "p.eth"]),
  );
  await stage.block("q.eth");
  await until(() => expect(changesOf(receiver).at(-1)?.data.domain).toBe("q.eth"));
  await worker.stop();
});

test("the end of an epoch is announced, and changes continue in the next one", async () => {
  const worker = stage.start();
  await stage.subscribe(receiver.url, ONE);
  await stage.block("r.eth");
  await until(() => expect(changesOf(receiver)).toHaveLength(1));
  await beginEpoch(stage.play.client, "public");
  await until(() =>
    expect(receiver.arrived.at(-1)).toMatchObject({ type: "webhook.gap", data: { reason: "epoch_ended" } }),
  );
  const next = String(receiver.arrived.at(-1)?.data.next_position);
  await stage.block("s.eth");
  await until(() => expect(changesOf(receiver).at(-1)?.data.domain).toBe("s.eth"));
  expect(changesOf(receiver).at(-1)?.id.split("-")[0]).toBe(next.split("-")[0]);
  await worker.stop();
});

test("after the end of an epoch, a webhook of one name gets all values of the name, with new ids each time", async () => {
  const worker = stage.start();
  await stage.subscribe(receiver.url, { filters: { name: "again.eth" } });
  const other = await openReceiver();
  await stage.subscribe(other.url, { filters: { name: "again.eth" }, when: "final" });
  await stage.block("again.eth", "other.eth");
  await until(() => expect(changesOf(receiver)).toHaveLength(2));
  const ids = new Set<string>();
  for (let turn = 1; turn <= 2; turn++) {
    const before = receiver.arrived.length;
    await beginEpoch(stage.play.client, "public");
    await until(() => expect(receiver.arrived.length).toBe(before + 3));
    const [gap, ...values] = receiver.arrived.slice(before);
    expect(gap).toMatchObject({ type: "webhook.gap", data: { reason: "epoch_ended", values: 2 } });
    expect(values.map(({ type, data }) => [type, data.state, data.domain])).toEqual([
      ["subname.created", "now", "again.eth"],
      ["resolver.changed", "now", "again.eth"],
    ]);
    for (const { id } of values) ids.add(id);
    expect(ids.size).toBe(2 * turn);
  }
  await stage.block("again.eth");
  await until(() => expect(receiver.arrived.at(-1)?.data.state).toBe("new"));
  const ofFinal = other.arrived.filter(({ type }) => type !== "webhook.test");
  expect(ofFinal.map(({ type, data }) => [type, data.values])).toEqual([
    ["webhook.gap", null],
    ["webhook.gap", null],
  ]);
  other.close();
  await worker.stop();
});

test("a key has a bounded number of webhooks, even with many concurrent requests", async () => {
  const asked = await Promise.all(
    Array.from({ length: MAX_OF_KEY + 5 }, () =>
      stage.ask("POST", "/webhooks", { body: { url: receiver.url } }),
    ),
  );
  expect(asked.filter(({ status: code }) => code === 200)).toHaveLength(MAX_OF_KEY);
  for (const { body } of asked.filter(({ status: code }) => code !== 200)) {
    expect(body.error?.code).toBe("LIMIT_EXCEEDED");
  }
});

test("a test can be sent once in some seconds, and a failed one changes nothing", async () => {
  const { body: made } = await stage.ask("POST", "/webhooks", { body: { url: receiver.url } });
  receiver.answer = status(500);
  const failed = await stage.ask("POST", `/webhooks/${made.id}/test`);
  expect(failed.body).toMatchObject({ is_delivered: false, status: 500, webhook: { state: "unverified" } });
  const early = await stage.ask("POST", `/webhooks/${made.id}/test`);
  expect(early).toMatchObject({ status: 429, body: { error: { code: "RATE_LIMITED" } } });
});

test.each([
  [{}, "MISSING_PARAMETER"],
  [{ url: 5 }, "INVALID_PARAMETER"],
  [{ url: "https://receiver.example/", when: "later" }, "INVALID_PARAMETER"],
  [{ url: "https://receiver.example/", filters: { name: "a..b" } }, "INVALID_NAME"],
  [{ url: "https://receiver.example/", filters: { address: "0x1" } }, "INVALID_ADDRESS"],
  [{ url: "https://receiver.example/", filters: { type: "name.lost" } }, "INVALID_PARAMETER"],
  [{ url: "https://receiver.example/", filters: { colour: "blue" } }, "INVALID_PARAMETER"],
  [{ url: "https://receiver.example/", filters: [] }, "INVALID_PARAMETER"],
])("%j is refused", async (body, code) => {
  const reply = await stage.ask("POST", "/webhooks", { body });
  expect(reply).toMatchObject({ status: 400, body: { error: { code } } });
});

test("without a valid key, no operation answers", async () => {
  for (const key of [null, "ens_wrong"]) {
    const reply = await stage.ask("GET", "/webhooks", { key });
    expect(reply).toMatchObject({ status: 401, body: { error: { code: "INVALID_API_KEY" } } });
  }
});

test("if the operator set no key for secrets, the operations say so", async () => {
  const without = await openStage({ secretKey: null });
  const reply = await without.ask("POST", "/webhooks", { body: { url: receiver.url } });
  expect(reply).toMatchObject({ status: 404, body: { error: { code: "NOT_OFFERED" } } });
  expect(reply.body.error?.message).toContain("WEBHOOK_SECRET_KEY");
  await without.close();
});

test("a process whose index is not the one that readers are sent to sends nothing", async () => {
  let isActive = false;
  const waiting = await openStage({ isActive: async () => isActive });
  const worker = waiting.start();
  await waiting.subscribe(receiver.url, ONE);
  const position = () => waiting.store.query("select epoch, number from webhook_feed");
  const begun = await position();
  await waiting.block("t.eth");
  await sleep(200); // Four times the pause between two checks.
  expect(await position()).toEqual(begun);
  isActive = true;
  await waiting.sorted();
  await waiting.block("u.eth");
  await until(() => expect(changesOf(receiver).map(({ data }) => data.domain)).toEqual(["t.eth", "u.eth"]));
  await worker.stop();
  await waiting.close();
});
