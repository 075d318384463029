import type { Server } from "node:http";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { createNamedex } from "namedex-client";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { beginEpoch } from "../../src/api/features/feed/install.ts";
import { follow, type Part, READ_AT_ONCE } from "../../src/api/features/feed/stream/follow.ts";
import type { Hub } from "../../src/api/features/feed/stream/hub.ts";
import { type Access, openAccess } from "../../src/api/server/access/access.ts";
import { ApiError } from "../../src/api/server/errors/errors.ts";
import type { Db } from "../../src/api/server/postgres/db.ts";
import { account } from "../query/rows.ts";
import type { Chain } from "./engine.ts";
import { openPlay, type Play } from "./histories.ts";
import { openStream, openStreamServer, type StreamServer, typesIn } from "./streamServer.ts";
import { domainWrite, textWrite } from "./writes.ts";

/** A pause long enough for the readers of this process, which a busy machine holds up for seconds. */
const PATIENCE = { pauseMs: 8_000, wholeMs: 2_000 };

let play: Play & { close: () => Promise<void> };
let main: Chain;
let hub: Hub;
let server: Server;
let served: StreamServer;
let url: string;
let access: Pick<Access, "admit"> = openAccess;
let looks = 0;
const leaving: AbortController[] = [];

beforeAll(async () => {
  play = await openPlay((sql) => {
    if (sql.includes("from feed_state")) looks++;
  });
  [main] = play.engine.chains as [Chain];
  served = await openStreamServer({
    play,
    patience: PATIENCE,
    most: { all: 300, caller: 250 },
    access: { admit: (...given) => access.admit(...given) },
  });
  ({ hub, server, url } = served);
});
afterEach(() => {
  for (const one of leaving.splice(0)) one.abort();
  access = openAccess;
});
afterAll(async () => {
  await served.close();
  await play.close();
});

let blocks = 0;

/** A block in which some names get another resolver. */
async function block(...names: string[]): Promise<void> {
  blocks++;
  const writes = names.map((name) => domainWrite(main, name, { resolver: account(blocks) }));
  play.engine.mine(main, { seconds: 12, writes });
  await play.engine.index(main);
  await play.look();
}

/** A stream being read. */
async function open(query: string, headers: Record<string, string> = {}) {
  const controller = new AbortController();
  leaving.push(controller);
  return openStream(`${url}/changes/stream?${query}`, { headers, controller });
}

const lastId = (text: string): string => [...text.matchAll(/^id: (.*)$/gm)].at(-1)?.[1] ?? "";

test("changes arrive as events with their positions, followed by the ends of their blocks", async () => {
  const stream = await open("after=&name=&type="); // Empty parameters count as left out.
  expect(stream.reply.headers.get("content-type")).toBe("text/event-stream");
  expect(stream.reply.headers.get("x-accel-buffering")).toBe("no");
  await block("a.eth");
  await vi.waitFor(() =>
    expect(typesIn(stream.text)).toEqual(["subname.created", "resolver.changed", "block.ended"]),
  );
});

test("a client that reconnects with its last position gets the missed changes exactly once", async () => {
  const first = await open("");
  await block("b.eth");
  await vi.waitFor(() => expect(typesIn(first.text).length).toBe(3));
  first.leave();
  const position = lastId(first.text);
  await block("b.eth");
  for (const again of [open("", { "Last-Event-ID": position }), open(`after=${position}`)]) {
    const stream = await again;
    await vi.waitFor(() => expect(typesIn(stream.text)).toEqual(["resolver.changed", "block.ended"]));
  }
});

test("a filter passes only matching changes, while the position still advances", async () => {
  const stream = await open("name=c.eth");
  const before = lastId(stream.text);
  await block("d.eth");
  await vi.waitFor(() => expect(lastId(stream.text)).not.toBe(before), { timeout: 60_000 });
  expect(typesIn(stream.text)).toEqual([]);
  await block("c.eth", "d.eth");
  await vi.waitFor(() =>
    expect(typesIn(stream.text)).toEqual(["subname.created", "resolver.changed", "block.ended"]),
  );
});

test("a stream in use outlasts the time limit of any answer", async () => {
  const stream = await open("");
  await new Promise((resolve) => setTimeout(resolve, PATIENCE.wholeMs + 1_000));
  expect(stream.isOver).toBe(false);
  await block("e.eth");
  await vi.waitFor(() => expect(typesIn(stream.text)).toContain("block.ended"));
});

/** More changes than any system buffer takes at once: 12 MB. */
const LARGE = 4_000;

test("a reader that takes nothing is cut off, and others continue", async () => {
  const socket = connect({ port: served.port, host: "127.0.0.1" });
  socket.on("error", () => {});
  socket.write("GET /changes/stream?after=oldest HTTP/1.1\r\nHost: x\r\n\r\n");
  socket.pause();
  const other = await open("");
  play.engine.mine(main, {
    seconds: 12,
    writes: Array.from({ length: LARGE }, (_, i) => textWrite(main, i)),
  });
  await play.engine.index(main);
  await play.look();
  const changesIn = () => typesIn(other.text).filter((type) => type === "record.text.changed").length;
  // Scanning megabytes takes a while, so this does not run every few milliseconds.
  await vi.waitFor(() => expect(changesIn()).toBe(LARGE), { timeout: 60_000, interval: 500 });
  const ids = [...other.text.matchAll(/^event: change\nid: (.*)$/gm)].map(([, id]) => id);
  expect(new Set(ids).size, "none comes twice").toBe(ids.length);
  await vi.waitFor(
    async () => {
      const sockets = await new Promise<number>((resolve) =>
        server.getConnections((_, count) => resolve(count)),
      );
      expect(sockets).toBeLessThanOrEqual(2);
    },
    { timeout: 60_000 },
  );
  socket.destroy();
});

/** Allows for a busy machine. */
const SOON = { timeout: 180_000, interval: 100 };

test("two hundred readers cost one look at the table, not two hundred", async () => {
  const streams = await Promise.all(
    Array.from({ length: 200 }, (_, i) => open(`subtree=${i % 2 ? "eth" : "f.eth"}`)),
  );
  const before = looks;
  const began = Date.now();
  await block("f.eth");
  await vi.waitFor(() => {
    for (const { text } of streams) expect(typesIn(text).length).toBe(3);
  }, SOON);
  expect(looks - before).toBeLessThan((Date.now() - began) / 50 + 5);
});

test("readers that are behind have few pages read at once, and one that leaves the queue has none read", async () => {
  await block("behind.eth");
  await hub.join();
  const { epoch } = hub.state();
  let [reading, most, pages] = [0, 0, 0];
  const execute = async (...asked: Parameters<Db["execute"]>) => {
    most = Math.max(most, ++reading);
    pages++;
    const found = await play.tables.db.execute(...asked);
    await sleep(10);
    reading--;
    return found;
  };
  const db = Object.assign(Object.create(play.tables.db), { execute }) as Db;
  const leaving = new AbortController();
  const followed = (signal: AbortSignal) =>
    follow({ hub, db, epoch, from: 0, filters: {}, silentMs: 1_000, signal }).next();
  const stay = new AbortController();
  const [staying, left] = [stay, leaving].map(({ signal }) =>
    Promise.all(Array.from({ length: 20 }, () => followed(signal))),
  );
  leaving.abort();
  for (const { value } of (await staying) ?? []) expect((value as Part).rows.length).toBeGreaterThan(0);
  expect(await left).toEqual(Array.from({ length: 20 }, () => ({ done: true, value: undefined })));
  expect([most, pages]).toEqual([READ_AT_ONCE, 20]);
  hub.leave();
});

test("each caller has a limited number of streams", async () => {
  await Promise.all(Array.from({ length: 250 }, () => open("")));
  const refused = await open("");
  expect(refused.reply.status).toBe(429);
  await vi.waitFor(() => expect(refused.text).toContain("RATE_LIMITED"));
  for (const one of leaving.splice(0)) one.abort();
  await vi.waitFor(async () => expect((await open("")).reply.status, "places are free again").toBe(200), {
    timeout: 10_000,
  });
});

test("a caller that cannot pay for the next minute is told so, and the stream ends", async () => {
  let minutes = 0;
  access = {
    admit: async (...given) => {
      if (minutes++ > 1) throw new ApiError("PAYMENT_REQUIRED", "The key has no credits left.");
      return openAccess.admit(...given);
    },
  };
  const stream = await open("");
  await vi.waitFor(() => expect(stream.isOver).toBe(true), { timeout: 10_000 });
  expect(minutes).toBe(3);
  expect(stream.text).toMatch(/event: error\ndata: .*PAYMENT_REQUIRED/);
});

test.each([
  ["after=bbbbbbbbbbbb-1", 410],
  ["type=x", 400],
  ["after=x", 400],
])("%s is refused before the stream begins", async (query, status) => {
  expect((await open(query)).reply.status).toBe(status);
});

test("the client resumes after a lost connection without omitting or repeating anything", async () => {
  const namedex = createNamedex({ url });
  const ending = new AbortController();
  const seen: string[] = [];
  const reading = (async () => {
    for await (const { position } of namedex.changes({ subtree: "g.eth" }, { signal: ending.signal }))
      seen.push(position);
  })().catch(() => {});
  await vi.waitFor(() => expect(hub.state().newest).toBeGreaterThan(0));
  for (let i = 0; i < 5; i++) {
    await block("g.eth", `${i}.g.eth`);
    if (i % 2 === 1) server.closeAllConnections();
  }
  await vi.waitFor(() => expect(seen.length).toBe(6 + 5 * 2 + 5), { timeout: 20_000 });
  expect(new Set(seen).size).toBe(seen.length);
  ending.abort();
  await reading;
});

test("when an epoch ends, its streams say so and close", async () => {
  const stream = await open("");
  expect(await beginEpoch(play.client, "public")).toBe(true);
  await vi.waitFor(() => expect(stream.isOver).toBe(true), { timeout: 10_000 });
  expect(stream.text).toContain("POSITION_GONE");
});

describe("a reader of one name whose position is gone", () => {
  const GONE = "after=bbbbbbbbbbbb-1&resync=true";
  const statesIn = (text: string) =>
    [...text.matchAll(/^data: (.*)$/gm)].map(([, data = ""]) => {
      const { state, type } = JSON.parse(data) as { state: string; type: string };
      return `${state} ${type}`;
    });

  test("gets all values of the name, and then its changes", async () => {
    await block("again.eth");
    const stream = await open(`${GONE}&name=again.eth`);
    await vi.waitFor(() =>
      expect(statesIn(stream.text)).toEqual([
        "now feed.resync",
        "now subname.created",
        "now resolver.changed",
        "now block.ended",
      ]),
    );
    await block("again.eth");
    await vi.waitFor(() =>
      expect(statesIn(stream.text).slice(4)).toEqual(["new resolver.changed", "new block.ended"]),
    );
  });

  test("that leaves midway starts over with the values", async () => {
    const stream = await open(`${GONE}&name=again.eth`);
    await vi.waitFor(() => expect(lastId(stream.text)).not.toBe(""));
    const [values = ""] = stream.text.split(/^id: /m);
    expect(statesIn(values), "no value has an id; it comes after the last").toHaveLength(4);
  });

  test.each(["", "subtree=again.eth", "type=resolver.changed"])(
    "must ask for one name, not %s",
    async (query) => {
      expect((await open(`${GONE}&${query}`)).reply.status).toBe(400);
    },
  );

  test("reconnects without an error when its epoch ends, through the client alone", async () => {
    const namedex = createNamedex({ url });
    const ending = new AbortController();
    const held = new Map<string, unknown>();
    const seen: string[] = [];
    const reading = (async () => {
      const asked = { name: "client.eth", after: "oldest" };
      for await (const { type, state, subject, new_value } of namedex.changes(asked, {
        signal: ending.signal,
      })) {
        seen.push(`${state} ${type}`);
        if (type === "feed.resync") held.clear();
        if (subject !== undefined) held.set(subject, new_value);
      }
    })().catch(() => {});
    await block("client.eth");
    await vi.waitFor(() => expect(seen).toContain("new resolver.changed"));
    expect(await beginEpoch(play.client, "public")).toBe(true);
    await vi.waitFor(() => expect(seen).toContain("now block.ended"), { timeout: 20_000 });
    await block("client.eth");
    await vi.waitFor(() => expect(seen.at(-1)).toBe("new block.ended"));
    const resolvers = [...held].filter(([subject]) => subject.startsWith("resolver:"));
    expect(resolvers.map(([, value]) => value)).toEqual([{ resolver_address: account(blocks) }]);
    ending.abort();
    await reading;
  });

  test("is told so by the client if it did not ask for a name", async () => {
    const namedex = createNamedex({ url });
    const reading = namedex.changes({ subtree: "again.eth", after: "bbbbbbbbbbbb-1" });
    await expect(reading.next()).rejects.toMatchObject({ code: "POSITION_GONE" });
  });
});
