import fc from "fast-check";
import { namehash } from "viem";
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject, test } from "vitest";
import { readStalledSince } from "../../src/api/features/webhooks/state.ts";
import { domainWrite, textWrite } from "../feed/writes.ts";
import { account } from "../query/rows.ts";
import { openReceiver, type Receiver } from "./receiver.ts";
import { openStage, type Stage, until } from "./stage.ts";

// A row that cannot be read, matched or sent stops no webhook but its own.

let stage: Stage;
let receiver: Receiver;
let worker: { stop: () => Promise<void> };
beforeAll(async () => {
  stage = await openStage();
});
beforeEach(async () => {
  receiver = await openReceiver();
  worker = stage.start();
});
afterEach(async () => {
  await worker.stop();
  await stage.clear();
  receiver.close();
});
afterAll(() => stage.close());

const ONE = { filters: { type: "resolver.changed" } };
const changesOf = ({ arrived }: Receiver) => arrived.filter(({ type }) => !type.startsWith("webhook."));
const domainsOf = (of: Receiver) => changesOf(of).map(({ data }) => data.domain);
const stateOf = async (id: number) => (await stage.ask("GET", `/webhooks/${id}`)).body;
/** SQL that only a fault or another release could write. */
const spoil = (sql: string, values: unknown[] = []) => stage.store.query(sql, values);

test("a text with NUL is delivered as it was set", async () => {
  await stage.subscribe(receiver.url, { filters: { type: "record.text.changed" } });
  const write = textWrite(stage.main, 1);
  const exact = JSON.stringify({ key: "k", value: "va\0lue" });
  await stage.play.block(stage.main, [{ ...write, patch: { ...write.patch, exact } }]);
  await until(() => expect(changesOf(receiver)).toHaveLength(1));
  expect(changesOf(receiver)[0]?.data).toMatchObject({ key: "k", new_value: { value: "va\0lue" } });
  expect(changesOf(receiver)[0]?.text).toContain("va\\u0000lue");
});

test("random texts are delivered as they were set, in order", async () => {
  await stage.subscribe(receiver.url, { filters: { type: "record.text.changed" } });
  const odd = fc.constantFrom(
    "\0",
    "\ufffe",
    "\uffff",
    "\u2028",
    '"',
    "\\u0000",
    "\r\n",
    "__proto__",
    "\u0001",
  );
  const text = fc.array(fc.oneof(odd, fc.string({ unit: "binary" })), { maxLength: 5 });
  const set = fc
    .sample(fc.tuple(text, text), { seed: inject("seed"), numRuns: 40 })
    .map((pair) => pair.map((parts) => Buffer.from(parts.join("")).toString()) as [string, string]);
  const writes = set.map(([key, value], i) => {
    const { patch, ...write } = textWrite(stage.main, 1_000 + i);
    const texts = { key: key.replaceAll("\0", "\u2400"), value: value.replaceAll("\0", "\u2400") };
    return { ...write, patch: { ...patch, ...texts, exact: JSON.stringify({ key, value }) } };
  });
  await stage.play.block(stage.main, writes);
  await until(() => expect(changesOf(receiver)).toHaveLength(set.length));
  const arrived = changesOf(receiver).map(({ data }) => [
    data.key,
    (data.new_value as { value: string }).value,
  ]);
  expect(arrived).toEqual(set);
});

test("a webhook whose filters cannot be read ends with a reason, and all others continue", async () => {
  const bad = await stage.subscribe(receiver.url, ONE);
  const typed = await stage.subscribe(receiver.url, ONE);
  const good = await stage.subscribe(receiver.url, ONE);
  await spoil("update webhooks set filters = 'null' where id = $1", [bad.id]);
  await spoil(`update webhooks set filters = '{"types": 7}' where id = $1`, [typed.id]);
  await spoil("update webhook_feed set version = version + 1");
  await stage.block("others.eth");
  await until(() => expect(domainsOf(receiver)).toContain("others.eth"));
  for (const { id } of [bad, typed])
    expect(await stateOf(id)).toMatchObject({
      state: "disabled",
      disabled_because: expect.stringMatching(/filters/),
    });
  expect(await stateOf(good.id)).toMatchObject({ state: "active" });
});

test("a webhook that cannot be served waits for a minute, and the others are served", async () => {
  const { id } = await stage.subscribe(receiver.url, ONE);
  await stage.subscribe(receiver.url, ONE);
  await spoil("update webhooks set url = 'no URL' where id = $1", [id]);
  await stage.block("a.eth", "b.eth");
  await until(() => expect(domainsOf(receiver)).toEqual(["a.eth", "b.eth"]));
  await until(async () => {
    const [row] = await spoil(
      "select next_at > now() + interval '30 seconds' as waits from webhooks where id = $1",
      [id],
    );
    expect(row?.waits).toBe(true);
  });
});

test("a change that cannot be sent is left out with a gap message, and its neighbours arrive", async () => {
  const { id } = await stage.subscribe(receiver.url, ONE);
  const early = await stage.subscribe(receiver.url, {
    filters: { name: "one.eth", type: "resolver.changed" },
  });
  await worker.stop();
  await stage.block("one.eth", "two.eth", "three.eth", "four.eth", "five.eth");
  // A time for which PostgreSQL has no date.
  const { rowCount } = await stage.play.tables.pool.query(
    "update feed_changes set block_timestamp = 1e15 where node = $1 and type = 'resolver.changed'",
    [namehash("three.eth")],
  );
  expect(rowCount).toBe(1);
  worker = stage.start();
  await until(() => expect(domainsOf(receiver)).toContain("five.eth"));
  const told = receiver.arrived.filter(({ data }) => data.webhook_id !== early.id);
  expect(
    told.map(({ data, type }) => data.domain ?? type).filter((one, i, all) => all.indexOf(one) === i),
  ).toEqual(["webhook.test", "one.eth", "two.eth", "webhook.gap", "four.eth", "five.eth"]);
  expect(receiver.arrived.find(({ type }) => type === "webhook.gap")?.data).toMatchObject({
    webhook_id: id,
    reason: "unsendable",
    left_out: 1,
  });
  await stage.sorted();
});

test("a fault in matching changes stops no deliveries, and is shown for each webhook", async () => {
  const { pool, db } = stage.play.tables;
  const { id } = await stage.subscribe(receiver.url, ONE);
  await stage.block("waiting.eth");
  await until(() => expect(domainsOf(receiver)).toEqual(["waiting.eth"]));
  expect(await stateOf(id)).not.toHaveProperty("stalled_since");
  // No process may append deliveries, so matching fails.
  await spoil("alter table webhook_events add constraint refused check (false) not valid");
  await stage.block("held.eth");
  await spoil("update webhook_deliveries set finished_at = null, is_delivered = null");
  await spoil("update webhooks set waiting = 1, next_at = now() where id = $1", [id]);
  await until(() => expect(domainsOf(receiver)).toEqual(["waiting.eth", "waiting.eth"]));
  await pool.query("update feed_changes set written_at = now() - interval '40 seconds'");
  const { stalled_since: since, state } = await stateOf(id);
  expect(state).toBe("active");
  expect(Math.abs(Date.parse(String(since)) + 40_000 - Date.now())).toBeLessThan(15_000);
  expect((await stage.ask("GET", "/webhooks")).body).toMatchObject({ webhooks: [{ stalled_since: since }] });
  expect(await readStalledSince(db, stage.store)).toBe(Date.parse(String(since)) / 1_000);
  await spoil("alter table webhook_events drop constraint refused");
  await until(() => expect(domainsOf(receiver)).toContain("held.eth"));
  expect(await stateOf(id)).not.toHaveProperty("stalled_since");

  // The feed's own writer is stopped.
  await pool.query("update feed_state set looked_at = now() - interval '45 seconds'");
  stage.play.engine.mine(stage.main, {
    seconds: 12,
    writes: [domainWrite(stage.main, "x.eth", { resolver: account(9) })],
  });
  await stage.play.engine.index(stage.main);
  expect(await stateOf(id)).toHaveProperty("stalled_since");
  await stage.play.look();
  expect(await stateOf(id)).not.toHaveProperty("stalled_since");
});
