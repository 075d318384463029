import { once } from "node:events";
import type { Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { serve } from "@hono/node-server";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { follow, MOST_OF_PAGE, type Part } from "../../src/api/features/feed/stream/follow.ts";
import { MAX_MATCHES } from "../../src/api/features/webhooks/bounds.ts";
import { createMatcher } from "../../src/api/features/webhooks/matcher.ts";
import { openPlay, type Play } from "../feed/histories.ts";
import { openStream, openStreamServer, type StreamServer, typesIn } from "../feed/streamServer.ts";
import { domainWrite, textWrite } from "../feed/writes.ts";
import { account, contracts } from "../query/rows.ts";
import { addWebhooks } from "../webhooks/manyWebhooks.ts";
import { openReceiver, type Receiver, status } from "../webhooks/receiver.ts";
import { openStage, SECRET_KEY, type Stage, until } from "../webhooks/stage.ts";

/* Attacks through the feed of changes: by its streams, by writes on a chain, and by webhooks. */
const SILENT = 1_000;
const CHANGES = 6_000;
const WEBHOOKS = 1_000;
/** The longest turn of one piece of work, on a machine that also runs other tests. */
const MOST_BLOCKED_MS = 5_000;
/** The longest time for which silent streams stay open after the last byte that the system accepted for one of them. */
const MOST_STILL_MS = 120_000;

/** The longest time without a turn for anything else in the process, in milliseconds. */
async function longestBlock(work: () => Promise<void>): Promise<number> {
  let [last, longest] = [performance.now(), 0];
  const timer = setInterval(() => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }, 5);
  await work().finally(() => clearInterval(timer));
  return longest;
}

describe("streams that nobody reads", () => {
  let play: Play & { close: () => Promise<void> };
  let served: StreamServer;
  let sockets: Socket[] = [];
  /** The service's ends of connections that came after the reader's. */
  const silent: Socket[] = [];
  beforeAll(async () => {
    play = await openPlay();
    const pauseMs = 30_000; // All of them must be open at one time.
    const patience = { pauseMs, wholeMs: pauseMs };
    served = await openStreamServer({ play, patience, most: { all: SILENT + 5, caller: SILENT + 5 } });
    const [main] = play.engine.chains;
    if (main) {
      const writes = Array.from({ length: 2_000 }, (_, i) => textWrite(main, i));
      await play.block(main, writes);
    }
  });
  afterAll(async () => {
    for (const socket of sockets) socket.destroy();
    await served.close();
    await play.close();
  });

  test("each keep little of the feed in memory, however far behind they are", async () => {
    await served.hub.join();
    const { epoch, newest } = served.hub.state();
    const ending = new AbortController();
    const parts = follow({
      hub: served.hub,
      db: play.tables.db,
      epoch,
      from: 0,
      filters: {},
      silentMs: 1_000,
      signal: ending.signal,
    });
    const [least, seen]: [number, number[]] = [Math.min(newest, 1_500), []];
    for await (const { rows, at } of parts as AsyncIterable<Part>) {
      const [, ...others] = rows;
      expect(JSON.stringify(others).length).toBeLessThan(MOST_OF_PAGE);
      seen.push(...rows.map(({ number }) => number));
      if (at >= least) break;
    }
    expect(seen).toEqual(Array.from({ length: seen.length }, (_, i) => i + 1));
    ending.abort();
    served.hub.leave();
  });

  /**
   * Waits until the silent ones are cut off. Each of them first gets what the system's buffers hold, which is megabytes and takes
   * a slow machine minutes.
   */
  async function untilCutOff(): Promise<void> {
    const written = () => silent.reduce((sum, { bytesWritten }) => sum + bytesWritten, 0);
    for (let [seen, since] = [-1, 0]; served.count() > 1; await sleep(100)) {
      if (written() !== seen) [seen, since] = [written(), Date.now()];
      expect(Date.now() - since).toBeLessThan(MOST_STILL_MS);
    }
  }

  test("are cut off and free their places, while another reader gets every change", async () => {
    const controller = new AbortController();
    const reader = await openStream(`${served.url}/changes/stream?type=resolver.changed`, { controller });
    served.server.on("connection", (socket) => silent.push(socket));
    sockets = Array.from({ length: SILENT }, () => {
      const socket = connect({ port: served.port, host: "127.0.0.1" });
      socket.on("error", () => {});
      socket.write("GET /changes/stream?after=oldest HTTP/1.1\r\nHost: x\r\n\r\n");
      return socket.pause();
    });
    await vi.waitFor(() => expect(served.count()).toBe(SILENT + 1), { timeout: 60_000 });
    const [main] = play.engine.chains;
    const blocked = await longestBlock(async () => {
      for (let i = 1; i <= 5; i++) {
        if (main) await play.block(main, [domainWrite(main, "a.eth", { resolver: account(i) })]);
        await vi.waitFor(
          () => expect(typesIn(reader.text).filter((type) => type === "resolver.changed")).toHaveLength(i),
          { timeout: 120_000 },
        );
      }
    });
    expect(blocked).toBeLessThan(MOST_BLOCKED_MS);
    await untilCutOff();
    expect(served.count()).toBe(1);
    expect(reader.isOver).toBe(false);
    controller.abort();
  }, 1_800_000);
});

describe("webhooks", () => {
  let stage: Stage;
  let receiver: Receiver;
  beforeAll(async () => {
    stage = await openStage({ timeoutMs: 1_000 });
  });
  beforeEach(async () => {
    receiver = await openReceiver();
  });
  afterEach(async () => {
    await stage.store.query("delete from webhooks");
    receiver.close();
  });
  afterAll(() => stage.close());

  const changesOf = ({ arrived }: Receiver) => arrived.filter(({ type }) => !type.startsWith("webhook."));

  test(`a stranger who makes ${CHANGES} changes in a block and never takes them delays nobody`, async () => {
    const { play, main } = stage;
    const worker = stage.start();
    const silent = await openReceiver();
    silent.answer = () => {};
    await addWebhooks(stage.store, {
      count: 5,
      secretKey: SECRET_KEY,
      urlOf: () => silent.url,
      filtersOf: () => ({}),
    });
    await stage.subscribe(receiver.url, { filters: { name: "honest.eth", type: "resolver.changed" } });
    const honest = (i: number) => domainWrite(main, "honest.eth", { resolver: account(i) });
    play.engine.mine(main, {
      seconds: 12,
      writes: [...Array.from({ length: CHANGES }, (_, i) => textWrite(main, i)), honest(1)],
    });
    await play.engine.index(main);
    const began = Date.now();
    const blocked = await longestBlock(async () => {
      await play.look();
      await vi.waitFor(() => expect(changesOf(receiver)).toHaveLength(1), { timeout: 60_000 });
    });
    // One after the other they would take more than ten minutes.
    expect(Date.now() - began).toBeLessThan(60_000);
    expect(blocked).toBeLessThan(MOST_BLOCKED_MS);
    const next = Date.now();
    await play.block(main, [honest(2)]);
    await until(() => expect(changesOf(receiver)).toHaveLength(2));
    expect(Date.now() - next).toBeLessThan(20_000);
    silent.close();
    await worker.stop();
  });

  test("subscriptions that match everything are served in parts, lose nothing, and delay nothing", async () => {
    const { store, play } = stage;
    const matcher = createMatcher({ db: play.tables.db, store, contracts, isPaid: false, onError: () => {} });
    while (await matcher.step());
    await store.query("delete from webhook_deliveries");
    await store.query("delete from webhook_events");
    await addWebhooks(store, {
      count: WEBHOOKS,
      secretKey: SECRET_KEY,
      urlOf: () => "https://receiver.example/",
      filtersOf: () => ({}),
    });
    const before = await play.newest();
    await stage.block(...Array.from({ length: 40 }, (_, i) => `n${i}.eth`));
    const changes = (await play.changesAfter(before)).filter(({ type }) => type !== "block.ended");
    expect(changes.length * WEBHOOKS).toBeGreaterThan(MAX_MATCHES);
    let steps = 0;
    const blocked = await longestBlock(async () => {
      do steps++;
      while (await matcher.step());
    });
    expect(steps).toBeGreaterThan(1);
    expect(blocked).toBeLessThan(MOST_BLOCKED_MS);
    const [found] = await store.query<{ deliveries: number; events: number; least: number; most: number }>(
      `select (select count(*) from webhook_deliveries)::int as deliveries, (select count(*) from webhook_events)::int as events,
         min(waiting) as least, max(waiting) as most from webhooks`,
    );
    const each = changes.length;
    expect(found).toEqual({ deliveries: each * WEBHOOKS, events: each, least: each, most: each });
  });

  test("receivers that are services with webhooks pointing at each other get one request per attempt", async () => {
    const other = await openStage({ timeoutMs: 1_000 });
    const asked: string[] = [];
    const servers = [stage, other].map(
      ({ fetch }, of) =>
        serve({
          fetch: (request) => {
            asked.push(`${of} ${new URL(request.url).pathname}`);
            return fetch(request);
          },
          port: 0,
        }) as Server,
    );
    await Promise.all(servers.map((server) => server.listening || once(server, "listening")));
    const [mine, theirs] = servers.map(
      (server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    );
    const paths = ["/webhooks", "/webhooks/1/test", "/webhooks/1/replay?after=oldest"];
    // No operation mistakes a message for its own request, so no such webhook ever becomes active.
    for (const path of paths) {
      const { body: made } = await stage.ask("POST", "/webhooks", { body: { url: `${theirs}${path}` } });
      const { body } = await stage.ask("POST", `/webhooks/${made.id}/test`);
      expect(body).toMatchObject({ is_delivered: false, webhook: { state: "unverified" } });
    }
    // Even if one were.
    for (const [one, url] of [
      [stage, theirs],
      [other, mine],
    ] as const) {
      await addWebhooks(one.store, {
        count: paths.length,
        secretKey: SECRET_KEY,
        urlOf: (i) => `${url}${paths[i]}`,
        filtersOf: () => ({ types: ["resolver.changed"] }),
      });
    }
    await stage.subscribe(receiver.url, { filters: { type: "resolver.changed" } });
    asked.length = 0;
    const workers = [stage.start(), other.start()];
    await Promise.all([stage.sorted(), other.sorted()]);
    await Promise.all([stage.block("each.eth"), other.block("each.eth")]);
    const attemptsOf = async ({ store }: Stage) => {
      const [row] = await store.query<{ attempts: number }>(
        "select coalesce(sum(attempts), 0)::int as attempts from webhook_deliveries d join webhooks w on w.id = webhook_id where w.url like '%/webhooks%'",
      );
      return row?.attempts ?? 0;
    };
    for (let round = 1; round <= 3; round++) {
      await until(async () => {
        expect(await attemptsOf(stage)).toBe(round * paths.length);
        expect(await attemptsOf(other)).toBe(round * paths.length);
      });
      expect(asked).toHaveLength(2 * round * paths.length);
      if (round < 3) await Promise.all([stage.passWaits(), other.passWaits()]);
    }
    expect(changesOf(receiver)).toHaveLength(1);
    await Promise.all(workers.map((one) => one.stop()));
    for (const server of servers) server.close();
    await other.close();
  });

  test("receivers that forward what they get to each other end with the message that they got", async () => {
    const worker = stage.start();
    const second = await openReceiver();
    const forwarding =
      (to: () => string): Receiver["answer"] =>
      (response, { text, path }) => {
        if (path === "/forwarded") return status(200)(response);
        void fetch(`${to()}/forwarded`, { method: "POST", body: text }).then(() => status(200)(response));
      };
    receiver.answer = forwarding(() => second.url);
    second.answer = forwarding(() => receiver.url);
    for (const { url } of [receiver, second])
      await stage.subscribe(url, { filters: { type: "resolver.changed" } });
    receiver.arrived.length = 0;
    second.arrived.length = 0;
    await stage.block("forwarded.eth");
    await until(async () => {
      const [row] = await stage.store.query<{ waiting: number }>(
        "select sum(waiting)::int as waiting from webhooks",
      );
      expect(row?.waiting).toBe(0);
      expect(receiver.arrived.length + second.arrived.length).toBe(4);
    });
    second.close();
    await worker.stop();
  });
});
