import type { lookup as dnsLookup } from "node:dns";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { refusedUrls, resolving } from "../outgoing/refusedUrls.ts";
import { openReceiver, type Receiver, status } from "./receiver.ts";
import { openStage, type Stage, until } from "./stage.ts";

/** Addresses returned by a stranger's name server. */
let addresses: string[] = ["2000::1"];
const lookup = ((...given: Parameters<typeof dnsLookup>) =>
  resolving(...addresses)(...given)) as unknown as typeof dnsLookup;

let stage: Stage;
let receiver: Receiver;
let worker: { stop: () => Promise<void> };
beforeAll(async () => {
  stage = await openStage({ timeoutMs: 700, lookup });
  worker = stage.start();
});
beforeEach(async () => {
  receiver = await openReceiver();
});
afterEach(async () => {
  await stage.clear();
  receiver.close();
});
afterAll(async () => {
  await worker.stop();
  await stage.close();
});

const ONE = { filters: { type: "resolver.changed" } };
const changesOf = ({ arrived }: Receiver) => arrived.filter(({ type }) => !type.startsWith("webhook."));
const lastOf = async (id: number) => {
  const { body } = await stage.ask("GET", `/webhooks/${id}/deliveries?limit=1`);
  return (body.deliveries as Record<string, unknown>[])[0];
};
const webhookOf = async (id: number) => (await stage.ask("GET", `/webhooks/${id}`)).body;

describe("a receiver that", () => {
  test("redirects is not followed, and the delivery is retried", async () => {
    const { id } = await stage.subscribe(receiver.url, ONE);
    receiver.answer = status(302, { location: `${receiver.url}/inside` });
    await stage.block("a.eth");
    await until(async () =>
      expect(await lastOf(id)).toMatchObject({
        state: "waiting",
        attempts: 1,
        status: null,
        error: expect.stringContaining("redirects are not followed"),
      }),
    );
    expect(receiver.arrived.map(({ path }) => path)).not.toContain("/inside");
  });

  test("answers 410 ends its webhook until it is tested again", async () => {
    const { id } = await stage.subscribe(receiver.url, ONE);
    receiver.answer = status(410);
    await stage.block("a.eth", "b.eth");
    await until(async () =>
      expect(await webhookOf(id)).toMatchObject({ state: "disabled", waiting: 0, left_out: 2 }),
    );
    expect(changesOf(receiver)).toHaveLength(1);
    expect(await lastOf(id)).toMatchObject({ state: "left_out" });
    receiver.answer = status(200);
    await stage.passWaits();
    await stage.sorted();
    expect((await stage.ask("POST", `/webhooks/${id}/test`)).body).toMatchObject({
      webhook: { state: "active" },
    });
    await stage.block("c.eth");
    await until(() => expect(changesOf(receiver).at(-1)?.data.domain).toBe("c.eth"));
  });

  test("never answers is abandoned after the time limit of an attempt, and others do not wait for it", async () => {
    const silent = await openReceiver();
    const { id } = await stage.subscribe(silent.url, ONE);
    await stage.subscribe(receiver.url, ONE);
    silent.answer = () => {};
    await stage.block("a.eth");
    await until(() => expect(changesOf(receiver)).toHaveLength(1));
    await until(async () =>
      expect(await lastOf(id)).toMatchObject({ error: expect.stringContaining("did not answer in time") }),
    );
    silent.close();
  });

  test("hangs up gets the message again", async () => {
    const { id } = await stage.subscribe(receiver.url, ONE);
    receiver.answer = (response) => response.socket?.destroy();
    await stage.block("a.eth");
    await until(async () =>
      expect(await lastOf(id)).toMatchObject({
        attempts: 1,
        error: expect.stringContaining("could not be reached"),
      }),
    );
    receiver.answer = status(204);
    await stage.passWaits();
    await until(async () => expect(await lastOf(id)).toMatchObject({ state: "delivered", status: 204 }));
    const [first, second] = changesOf(receiver);
    expect(second?.id).toBe(first?.id);
  });

  test("answers without end is read in part, and its status counts", async () => {
    const { id } = await stage.subscribe(receiver.url, ONE);
    let sent = 0;
    let isClosed = false;
    receiver.answer = (response) => {
      response.writeHead(200);
      const timer = setInterval(() => {
        sent += 65_536;
        response.write("x".repeat(65_536));
      }, 1);
      response.on("close", () => {
        clearInterval(timer);
        isClosed = true;
      });
    };
    await stage.block("a.eth");
    await until(async () => expect(await lastOf(id)).toMatchObject({ state: "delivered", status: 200 }));
    await until(() => expect(isClosed).toBe(true));
    expect(sent).toBeLessThan(100_000_000);
  });

  test("is busy is left alone for as long as it asks, within bounds", async () => {
    const { id } = await stage.subscribe(receiver.url, ONE);
    receiver.answer = status(503, { "retry-after": "600" });
    await stage.block("a.eth");
    const waitOf = async () => Date.parse(String((await webhookOf(id)).next_attempt)) - Date.now();
    await until(async () => expect(await waitOf()).toBeGreaterThan(500_000));
    receiver.answer = status(429, { "retry-after": "999999999" });
    await stage.passWaits();
    await until(async () => expect(await waitOf()).toBeGreaterThan(3_000_000));
    expect(await waitOf()).toBeLessThanOrEqual(3_600_000);
  });

  test("fails for three days ends its webhook, and the waiting changes are counted", async () => {
    const { id } = await stage.subscribe(receiver.url, ONE);
    receiver.answer = status(500);
    await stage.block("a.eth", "b.eth");
    await until(async () => expect((await webhookOf(id)).failing_since).not.toBeNull());
    await stage.store.query(
      "update webhooks set failing_since = now() - interval '3 days 1 minute', next_at = now()",
    );
    await until(async () =>
      expect(await webhookOf(id)).toMatchObject({
        state: "disabled",
        waiting: 0,
        left_out: 2,
        disabled_because: expect.stringContaining("three days"),
      }),
    );
  });
});

describe("a forbidden URL", () => {
  let strict: Stage;
  beforeAll(async () => {
    strict = await openStage({ allowLoopback: false, lookup });
  });
  afterAll(() => strict.close());

  test.each(refusedUrls)("%s is refused without a connection", async (url, because) => {
    for (const port of ["443", new URL(receiver.url).port]) {
      const reply = await strict.ask("POST", "/webhooks", { body: { url: url.replace("PORT", port) } });
      expect(reply).toMatchObject({ status: 400, body: { error: { code: "INVALID_PARAMETER" } } });
      if (port === "443") expect(reply.body.error?.message).toContain(because);
    }
    expect(receiver.arrived).toEqual([]);
  });

  test.each([
    ["https://receiver.example:22/", "port 22"],
    ["https://own.example/changes", "is this service itself"],
    ["no URL", "not a URL"],
    [`https://receiver.example/${"x".repeat(2_048)}`, "2048"],
  ])("%s", async (url, because) => {
    const reply = await stage.ask("POST", "/webhooks", { body: { url } });
    expect(reply.status).toBe(400);
    expect(reply.body.error?.message).toContain(because);
  });

  test.each([["127.0.0.1"], ["::ffff:127.0.0.1"], ["10.1.2.3"], ["169.254.169.254"], ["fd00::1"]])(
    "a host name that resolves to %s is refused when connecting, at the test and at each delivery",
    async (address) => {
      addresses = [address];
      const { body: made } = await stage.ask("POST", "/webhooks", {
        body: { url: "https://stranger.example/", ...ONE },
      });
      const { body } = await stage.ask("POST", `/webhooks/${made.id}/test`);
      const error = "stranger.example is not at a public address, so it is not asked";
      expect(body).toMatchObject({ is_delivered: false, error, webhook: { state: "unverified" } });
      await stage.sorted();
      await stage.store.query("update webhooks set state = 'active'");
      await stage.store.query("update webhook_feed set version = version + 1");
      await stage.block("a.eth");
      await until(async () => expect(await lastOf(Number(made.id))).toMatchObject({ attempts: 1, error }));
    },
  );
});
