import { Webhook as Standard } from "standardwebhooks";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { openReceiver, type Receiver, status } from "./receiver.ts";
import { openStage, type Stage, until } from "./stage.ts";

let stage: Stage;
let receiver: Receiver;
beforeAll(async () => {
  stage = await openStage();
});
beforeEach(async () => {
  receiver = await openReceiver();
});
afterEach(async () => {
  await stage.clear();
  receiver.close();
});
afterAll(() => stage.close());

const changesOf = ({ arrived }: Receiver) => arrived.filter(({ type }) => !type.startsWith("webhook."));

test("a webhook begins with its first answered test, and gets its changes in order, signed as the standard says", async () => {
  const worker = stage.start();
  const { body: made } = await stage.ask("POST", "/webhooks", { body: { url: `${receiver.url}/in` } });
  expect(made).toMatchObject({
    state: "unverified",
    when: "instant",
    payload: "full",
    filters: {},
    waiting: 0,
  });
  await stage.block("early.eth");
  await stage.sorted();
  const { body: tested } = await stage.ask("POST", `/webhooks/${made.id}/test`);
  expect(tested).toMatchObject({
    is_delivered: true,
    status: 200,
    error: null,
    webhook: { state: "active" },
  });
  await stage.block("a.eth");
  await stage.block("a.eth", "b.eth");
  const last = { type: "resolver.changed", data: { domain: "b.eth" } };
  await until(() => expect(changesOf(receiver).at(-1)).toMatchObject(last));
  const changes = changesOf(receiver);
  expect(changes.map(({ data }) => data.domain)).not.toContain("early.eth");
  const numbers = changes.map(({ id }) => Number(id.split("-")[1]));
  expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
  const standard = new Standard(String(made.secret));
  for (const { text, headers, type, id, path } of receiver.arrived) {
    expect(path).toBe("/in");
    expect(standard.verify(text, headers)).toMatchObject({ type });
    expect(() => standard.verify(`${text} `, headers)).toThrow();
    expect(id).not.toContain(".");
  }
  const [{ data, id } = { data: {}, id: "" }] = changes;
  expect(data).toMatchObject({ position: id, type: "subname.created", domain: "a.eth", state: "new" });
  await until(async () => {
    const { body } = await stage.ask("GET", `/webhooks/${made.id}`);
    expect(body).toMatchObject({ waiting: 0, last_position: changes.at(-1)?.id });
  });
  const { body: sent } = await stage.ask("GET", `/webhooks/${made.id}/deliveries?limit=2`);
  expect(sent.deliveries).toMatchObject([
    { state: "delivered", status: 200, attempts: 1, message_id: changes.at(-1)?.id },
    { state: "delivered", status: 200, attempts: 1 },
  ]);
  await worker.stop();
});

test("filters are those of GET /changes, and a thin payload has no values", async () => {
  const worker = stage.start();
  const filters = { subtree: "c.eth", type: "resolver.changed" };
  await stage.subscribe(receiver.url, { filters, payload: "thin" });
  await stage.block("c.eth", "d.eth", "pay.c.eth");
  await until(() => expect(changesOf(receiver)).toHaveLength(2));
  for (const { data, type } of changesOf(receiver)) {
    expect(type).toBe("resolver.changed");
    expect(Object.keys(data)).not.toContain("new_value");
    expect(data.subject).toMatch(/^resolver:31337:0x/);
  }
  await worker.stop();
});

test("a failed delivery is repeated with the same id before anything later", async () => {
  const worker = stage.start();
  const { id } = await stage.subscribe(receiver.url, {
    filters: { name: "e.eth", type: "resolver.changed" },
  });
  receiver.answer = status(500);
  await stage.block("e.eth");
  await stage.block("e.eth");
  await until(() => expect(changesOf(receiver)).toHaveLength(1));
  await until(async () => {
    const { body } = await stage.ask("GET", `/webhooks/${id}`);
    expect(body).toMatchObject({
      waiting: 2,
      next_attempt: expect.any(String),
      failing_since: expect.any(String),
    });
  });
  await stage.passWaits();
  await until(() => expect(changesOf(receiver)).toHaveLength(2));
  receiver.answer = status(200);
  await until(async () => {
    await stage.passWaits();
    expect(changesOf(receiver)).toHaveLength(4);
  });
  const [first, second, third, fourth] = changesOf(receiver).map((one) => one.id);
  expect([second, third]).toEqual([first, first]);
  expect(Number(fourth?.split("-")[1])).toBeGreaterThan(Number(first?.split("-")[1]));
  await worker.stop();
});

test("a rotated secret and the previous one both sign until the overlap ends", async () => {
  const { id, secret } = await stage.subscribe(receiver.url);
  const { body } = await stage.ask("PATCH", `/webhooks/${id}`, { body: { rotate_secret: true } });
  expect(body.secret).toMatch(/^whsec_/);
  expect(body.secret).not.toBe(secret);
  await stage.passWaits();
  await stage.ask("POST", `/webhooks/${id}/test`);
  const both = receiver.arrived.at(-1);
  for (const one of [secret, String(body.secret)])
    new Standard(one).verify(both?.text ?? "", both?.headers ?? {});
  expect(both?.headers["webhook-signature"]?.split(" ")).toHaveLength(2);
  await stage.store.query("update webhooks set old_secret_until = now() - interval '1 s', tested_at = null");
  await stage.ask("POST", `/webhooks/${id}/test`);
  const after = receiver.arrived.at(-1);
  new Standard(String(body.secret)).verify(after?.text ?? "", after?.headers ?? {});
  expect(() => new Standard(secret).verify(after?.text ?? "", after?.headers ?? {})).toThrow();
});

test("secrets are stored encrypted, each for its webhook, and are never shown a second time", async () => {
  const { id, secret } = await stage.subscribe(receiver.url);
  const rows = await stage.store.query("select * from webhooks");
  expect(JSON.stringify(rows)).not.toContain(secret);
  expect(Buffer.from(secret.slice(6), "base64")).toHaveLength(32);
  for (const path of ["/webhooks", `/webhooks/${id}`, `/webhooks/${id}/deliveries`]) {
    expect(JSON.stringify((await stage.ask("GET", path)).body)).not.toContain("whsec_");
  }
});

test("a webhook belongs to its key only, and a revoked key's webhook gets nothing more", async () => {
  const worker = stage.start();
  const owner = await stage.keys.create({ label: "", owner: null, credits: 10, reason: "test" });
  const ask = (method: string, path: string, body?: unknown) =>
    stage.ask(method, path, { body, key: owner.key });
  const { body: made } = await ask("POST", "/webhooks", { url: receiver.url });
  await ask("POST", `/webhooks/${made.id}/test`);
  for (const [method, path] of [
    ["GET", `/webhooks/${made.id}`],
    ["DELETE", `/webhooks/${made.id}`],
    ["POST", `/webhooks/${made.id}/test`],
    ["GET", `/webhooks/${made.id}/deliveries`],
  ] as const) {
    expect(await stage.ask(method, path)).toMatchObject({
      status: 404,
      body: { error: { code: "NOT_FOUND" } },
    });
  }
  expect((await stage.ask("GET", "/webhooks")).body).toEqual({ webhooks: [] });
  await stage.block("f.eth");
  await until(() => expect(changesOf(receiver).length).toBeGreaterThan(0));
  await until(async () => expect((await ask("GET", `/webhooks/${made.id}`)).body.waiting).toBe(0));
  await stage.keys.revoke(owner.id);
  const before = receiver.arrived.length;
  const other = await openReceiver();
  await stage.subscribe(other.url);
  await stage.block("f.eth");
  await until(() => expect(changesOf(other).length).toBeGreaterThan(0));
  expect(receiver.arrived).toHaveLength(before);
  expect(await ask("GET", "/webhooks")).toMatchObject({
    status: 401,
    body: { error: { code: "INVALID_API_KEY" } },
  });
  other.close();
  await worker.stop();
});

test("past changes are sent again from a position, with the same ids", async () => {
  const worker = stage.start();
  await stage.block("g.eth");
  await stage.sorted();
  const { id } = await stage.subscribe(receiver.url, {
    filters: { name: "g.eth", type: "resolver.changed" },
  });
  await stage.block("g.eth");
  await until(() => expect(changesOf(receiver)).toHaveLength(1));
  const { body } = await stage.ask("POST", `/webhooks/${id}/replay?after=oldest`);
  expect(body).toEqual({ queued: 2 });
  await until(() => expect(changesOf(receiver)).toHaveLength(3));
  const ids = changesOf(receiver).map((one) => one.id);
  expect(ids[2]).toBe(ids[0]);
  const gone = await stage.ask("POST", `/webhooks/${id}/replay?after=aaaaaaaaaaaa-5`);
  expect(gone).toMatchObject({ status: 410, body: { error: { code: "POSITION_GONE" } } });
  const missing = await stage.ask("POST", `/webhooks/${id}/replay`);
  expect(missing).toMatchObject({ status: 400, body: { error: { code: "MISSING_PARAMETER" } } });
  await worker.stop();
});

test("a final webhook gets a change when its block is final, and never a reverted one", async () => {
  const worker = stage.start();
  const filters = { type: "resolver.changed" };
  await stage.subscribe(receiver.url, { filters, when: "final" });
  const instant = await openReceiver();
  await stage.subscribe(instant.url, { filters });
  const { play, main } = stage;
  const finals = () =>
    changesOf(receiver).flatMap(({ data }) =>
      ["h.eth", "lost.eth", "i.eth"].includes(String(data.domain)) ? [data.domain] : [],
    );
  await stage.block("h.eth");
  await stage.block("lost.eth");
  await until(() => expect(changesOf(instant)).toHaveLength(2));
  play.engine.fork(main, 1);
  await play.engine.revert(main, main.node.length);
  await stage.block("i.eth");
  await until(() => expect(changesOf(instant).map(({ data }) => data.state)).toContain("removed"));
  expect(finals()).toEqual([]);
  for (let i = 0; i < 16; i++) await stage.block();
  await until(() => expect(finals()).toEqual(["h.eth", "i.eth"]));
  instant.close();
  await worker.stop();
});

test("invalid filters are refused, and never mean all changes", async () => {
  const url = receiver.url;
  const post = (filters: string) =>
    stage.fetch(
      new Request("http://own.example/webhooks", {
        method: "POST",
        headers: { "content-type": "application/json", "x-api-key": stage.key.key },
        body: `{"url":"${url}","filters":${filters}}`,
      }),
    );
  const refused = [
    '{"__proto__":{"name":"alice.eth"}}',
    '{"__proto__":"alice.eth"}',
    '{"constructor":"a"}',
    "[]",
    '"name"',
    "7",
    '{"colour":"blue"}',
    '{"name":"alice.eth","__proto__":{}}',
    "null",
    "true",
  ];
  for (const filters of refused) expect([filters, (await post(filters)).status]).toEqual([filters, 400]);
  expect((await stage.ask("GET", "/webhooks")).body).toEqual({ webhooks: [] });
});
