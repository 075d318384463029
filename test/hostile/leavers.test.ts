import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { openAccess } from "../../src/api/server/access/access.ts";
import { ApiError } from "../../src/api/server/errors/errors.ts";
import { createLog } from "../../src/api/server/observe/log.ts";
import { createMeters } from "../../src/api/server/observe/meters.ts";
import { fairPlaces } from "../../src/api/server/scheduling/places.ts";
import { heldWork, type Service, startService } from "../access/service.ts";
import { openPlay, type Play } from "../feed/histories.ts";
import { openStreamServer, type StreamServer } from "../feed/streamServer.ts";
import { open } from "../gateway/opened.ts";
import { startUpstream } from "../gateway/upstream.ts";

/* Callers who leave: at each step of a request, and in each way. Everything held for them is free afterwards. */

const PATIENCE = { timeout: 60_000, interval: 20 };

/** Sends these bytes, and leaves after a time: by a reset, or by an orderly close. */
async function leave({ url }: { url: string }, bytes: string, { ms, isReset }: Way): Promise<void> {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  socket.on("error", () => {});
  await new Promise<void>((resolve) => socket.once("connect", () => resolve()));
  socket.write(bytes);
  await sleep(ms);
  await new Promise<void>((resolve) => {
    socket.once("close", () => resolve());
    if (isReset) socket.resetAndDestroy();
    else socket.destroy();
  });
}

type Way = { ms: number; isReset: boolean };
const WAYS: readonly Way[] = [0, 0, 1, 2, 3, 5, 20].flatMap((ms) =>
  [true, false].map((isReset) => ({ ms, isReset })),
);

/** A step that a test can hold. */
function gate() {
  const held = { isClosed: false, waiting: [] as (() => void)[] };
  return {
    pass: async () => {
      if (held.isClosed) await new Promise<void>((resolve) => held.waiting.push(resolve));
    },
    close: () => {
      held.isClosed = true;
    },
    waiting: () => held.waiting.length,
    open: () => {
      held.isClosed = false;
      for (const go of held.waiting.splice(0)) go();
    },
  };
}

const line = (method: string, path: string, ...headers: string[]) =>
  `${[`${method} ${path} HTTP/1.1`, "Host: x", ...headers].join("\r\n")}\r\n`;

describe("a stream of changes", () => {
  let play: Play & { close: () => Promise<void> };
  let served: StreamServer;
  const steps = { ready: gate(), pay: gate() };
  let refuses = false;
  beforeAll(async () => {
    play = await openPlay();
    served = await openStreamServer({
      play,
      patience: { pauseMs: 60_000, wholeMs: 60_000 },
      most: { all: 1_000, caller: 1_000 },
      requireReadyIndex: steps.ready.pass,
      access: {
        admit: async (...given) => {
          await steps.pay.pass();
          if (refuses) throw new ApiError("PAYMENT_REQUIRED", "No credits.");
          return openAccess.admit(...given);
        },
      },
    });
  });
  beforeEach(() => {
    refuses = false;
  });
  afterAll(async () => {
    await served.close();
    await play.close();
  });
  const STREAM = `${line("GET", "/changes/stream")}\r\n`;

  /** No stream has a place, and no one reads the feed. */
  const expectNone = () =>
    vi.waitFor(() => {
      expect(served.count()).toBe(0);
      expect(() => served.hub.state()).toThrow("not read yet");
    }, PATIENCE);

  test("requested by HEAD is not started", async () => {
    for (let i = 0; i < 30; i++) {
      const reply = await fetch(`${served.url}/changes/stream`, { method: "HEAD" });
      expect([reply.status, reply.headers.get("content-type")]).toEqual([200, "text/event-stream"]);
    }
    await expectNone();
  });

  test("abandoned within milliseconds has no place", async () => {
    for (let round = 0; round < 10; round++) {
      await Promise.all(WAYS.map((way) => leave(served, STREAM, way)));
    }
    await expectNone();
  });

  test.each(["ready", "pay"] as const)("abandoned at the step %s has no place", async (step) => {
    steps[step].close();
    const left = WAYS.map((way) => leave(served, STREAM, { ...way, ms: way.ms + 200 }));
    await vi.waitFor(() => expect(steps[step].waiting()).toBe(WAYS.length), PATIENCE);
    await Promise.all(left);
    await sleep(50);
    steps[step].open();
    await expectNone();
  });

  test("that is not paid for, or asks for something that does not exist, has no place", async () => {
    refuses = true;
    for (const query of ["", "?after=bbbbbbbbbbbb-1", "?after=bbbbbbbbbbbb-1&resync=true&name=alice.eth"]) {
      expect((await fetch(`${served.url}/changes/stream${query}`)).status).toBe(402);
      expect(() => served.hub.state()).toThrow("not read yet");
    }
    refuses = false;
    for (const query of ["after=bbbbbbbbbbbb-1", "after=x", "type=x"]) {
      expect((await fetch(`${served.url}/changes/stream?${query}`)).ok).toBe(false);
    }
    await expectNone();
  });
});

describe("an operation", () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
    await service.get("/free");
  });
  afterAll(() => service.close());

  const count = async (sql: string) => Number((await service.store.query<{ count: string }>(sql))[0]?.count);
  const RESERVED = "SELECT count(*) FROM ledger WHERE reserved_until IS NOT NULL";
  /** Connections with a transaction or work, except the asking one. */
  const BUSY = `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
    AND state <> 'idle' AND pid <> pg_backend_pid()`;

  test("abandoned at any step holds no credits, no connection and no statement", async () => {
    const { key } = await service.createKey(10_000);
    const paid = `X-API-Key: ${key}`;
    const body = JSON.stringify({ names: Array.from({ length: 100 }, () => "a") });
    const post = line(
      "POST",
      "/bulk",
      paid,
      "Content-Type: application/json",
      `Content-Length: ${body.length}`,
    );
    let release = () => {};
    heldWork.until = new Promise((resolve) => (release = resolve));
    const steps = {
      "the first line": "GET /one/a HT",
      "the headers": line("GET", "/one/a", paid),
      "a body": `${post}\r\n${body.slice(0, 50)}`,
      "admission, or the answer": `${line("GET", "/one/a", paid)}\r\n`,
      "a bulk": `${post}\r\n${body}`,
      "an error": `${line("GET", "/fails?as=INVALID_NAME", paid)}\r\n`,
      "the work": `${line("GET", "/held", paid)}\r\n`,
      "work that fails": `${line("GET", "/held?fails=true", paid)}\r\n`,
      HEAD: `${line("HEAD", "/one/a", paid)}\r\n`,
      "one behind another": `${line("GET", "/held", paid)}\r\n${line("GET", "/one/a", paid)}\r\n`.repeat(5),
    };
    for (const bytes of Object.values(steps)) {
      await Promise.all(WAYS.map((way) => leave(service, bytes, way)));
    }
    release();
    await vi.waitFor(async () => {
      expect(await count(RESERVED)).toBe(0);
      expect(await count(BUSY)).toBe(0);
    }, PATIENCE);
    const open = () =>
      new Promise<number>((resolve) =>
        service.server.getConnections((_, connections) => resolve(connections)),
      );
    await vi.waitFor(async () => expect(await open()).toBeLessThanOrEqual(1), PATIENCE); // That of `fetch`.
    const charged = await count("SELECT coalesce(-sum(credits), 0) AS count FROM ledger WHERE credits < 0");
    expect(await service.balanceOf(key)).toBe(10_000 - charged);
  });
});

test("a body that is cut off is its caller's error, and is not reported as the database's", async () => {
  const lines: { level: string; message: string; status?: number }[] = [];
  const log = createLog({ write: (text) => lines.push(JSON.parse(text)) });
  const service = await startService({ observer: { meters: createMeters(), log, requestLog: "all" } });
  await service.get("/free");
  const posts = ["/bulk", "/mcp", "/nothing"].flatMap((path) => [
    `${line("POST", path, "Content-Length: 1000")}\r\n{`,
    `${line("POST", path, "Transfer-Encoding: chunked")}\r\n1\r\n{\r\n`,
  ]);
  const cut = [...posts, `${line("DELETE", "/free", "Transfer-Encoding: chunked")}\r\n1\r\n{\r\n`];
  for (const bytes of cut) await Promise.all(WAYS.map((way) => leave(service, bytes, way)));
  const left = () => lines.filter(({ message, status }) => message === "request" && status === 400);
  await vi.waitFor(() => expect(left().length).toBeGreaterThan(cut.length), PATIENCE);
  await service.close();
  expect(lines.filter(({ level }) => level !== "info")).toEqual([]);
  expect(lines.filter(({ status = 0 }) => status >= 500)).toEqual([]);
});

describe("a request at the gateway", () => {
  test("abandoned at any step holds no place", async () => {
    const upstream = await startUpstream(({ url, method }, response) => {
      if (url === "/never") return;
      response.writeHead(200, {
        "Content-Type": url === "/changes/stream" ? "text/event-stream" : "text/plain",
      });
      if (url === "/half" || url === "/changes/stream") response.write("a");
      else response.end(method);
    });
    const most = 20;
    const gateway = await open([upstream], { GATEWAY_MAX_REQUESTS_PER_ADDRESS: String(most) });
    const post = line("POST", "/x", "Content-Length: 10");
    const steps = {
      "the headers": line("GET", "/x"),
      "a body": `${post}\r\nabc`,
      "a body in chunks": `${line("POST", "/x", "Transfer-Encoding: chunked")}\r\n3\r\nabc\r\n`,
      "a body that is broken": `${line("POST", "/x", "Transfer-Encoding: chunked")}\r\n3\r\nabcdef\r\n`,
      "a body that is too large": `${line("POST", "/x", "Content-Length: 99999999")}\r\nabc`,
      "the wait": `${line("GET", "/never")}\r\n`,
      "half an answer": `${line("GET", "/half")}\r\n`,
      "a stream": `${line("GET", "/changes/stream")}\r\n`,
      "a stream by HEAD": `${line("HEAD", "/changes/stream")}\r\n`,
      "an answer": `${post}\r\n0123456789`,
      "one behind another": `${line("GET", "/x")}\r\n`.repeat(20),
    };
    for (const bytes of Object.values(steps)) {
      await Promise.all(WAYS.map((way) => leave(gateway, bytes, way)));
    }
    await vi.waitFor(async () => {
      expect((await gateway.status()).body.indexers[0]?.requests_in_flight).toBe(0);
    }, PATIENCE);
    // All places of this address are free: this many concurrent requests are answered, and one more is not. A slow machine sees a
    // reset late, so the places may be free a moment later; one that is never freed fails each try.
    const held = gate();
    upstream.handle = (_, response) => void held.pass().then(() => response.end());
    await vi.waitFor(async () => {
      held.close();
      const all = Array.from({ length: most }, () => fetch(`${gateway.url}/x`));
      const refused = Promise.race(all);
      await vi.waitFor(async () => {
        const isRefused = await Promise.race([refused.then(() => true), sleep(0)]);
        expect(isRefused || held.waiting() === most).toBe(true);
      }, PATIENCE);
      const another = await fetch(`${gateway.url}/x`);
      held.open();
      expect((await Promise.all(all)).map(({ status }) => status)).toEqual(all.map(() => 200));
      expect(another.status).toBe(429);
    }, PATIENCE);
  });
});

test("a fair place is freed, however its task or the wait for it ends", async () => {
  const plan = { running: { most: 3, each: 2 }, waiting: { most: 20, each: 10 } };
  const places = fairPlaces({ ...plan, refuse: () => new Error("full") });
  const leaving = new AbortController();
  const stay = new AbortController().signal;
  const ends = [
    () => places("a", stay, async () => "answered"),
    () => places("a", stay, () => Promise.reject(new Error("failed"))),
    () =>
      places("a", stay, () => {
        throw new Error("failed at once");
      }),
    () => places("a", leaving.signal, async () => sleep(20)),
    () => places("b", leaving.signal, async () => sleep(20)),
    () => places("a", AbortSignal.abort(), async () => "never"),
  ];
  const all = Promise.allSettled(
    Array.from({ length: 3 }, () => ends).flatMap((some) => some.map((end) => end())),
  );
  await sleep(10);
  leaving.abort();
  await all;
  let [running, most] = [0, 0];
  const work = async () => {
    most = Math.max(most, ++running);
    await sleep(20);
    running--;
  };
  await Promise.all(["a", "a", "a", "b"].map((caller) => places(caller, stay, work)));
  expect(most).toBe(3);
});
