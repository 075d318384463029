import { setTimeout as sleep } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { open, openProcess, unlessHeldUp } from "./opened.ts";
import { startUpstream } from "./upstream.ts";

/** An indexer with a stream that sends something every 200 ms. */
const streaming = () =>
  startUpstream((_, response) => {
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    const timer = setInterval(() => response.write(": still here\n\n"), 200);
    response.once("close", () => clearInterval(timer));
  });

/** A stream through a gateway. `bytes` counts what arrived. */
async function listenTo(url: string) {
  const stream = { bytes: 0, isOver: false, leave: () => leaving.abort() };
  const leaving = new AbortController();
  const reply = await fetch(url, { signal: leaving.signal });
  void (async () => {
    for await (const chunk of reply.body ?? []) stream.bytes += (chunk as Uint8Array).length;
  })()
    .catch(() => {})
    .finally(() => (stream.isOver = true));
  return stream;
}

test("a stream outlasts the time limit of an answer and is not counted as a request", {
  ...unlessHeldUp,
  timeout: 30_000,
}, async () => {
  const gateway = await open([await streaming()], {
    GATEWAY_TIMEOUT_SECONDS: "1",
    GATEWAY_MAX_REQUESTS: "2",
  });
  const streams: Awaited<ReturnType<typeof listenTo>>[] = [];
  for (let i = 0; i < 10; i++) streams.push(await listenTo(`${gateway.url}/changes/stream`));
  const { body } = await gateway.status();
  expect(body.indexers[0]?.requests_in_flight).toBe(0);
  await sleep(5_000); // Longer than a whole answer may take, four times a second.
  for (const { isOver, bytes } of streams) {
    expect(isOver).toBe(false);
    expect(bytes).toBeGreaterThan(100);
  }
  for (const stream of streams) stream.leave();
});

test("a stream does not delay a gateway that stops", async () => {
  const gateway = await openProcess([await streaming()], { GATEWAY_DRAIN_SECONDS: "0" });
  const stream = await listenTo(`${gateway.url}/changes/stream`);
  expect(await gateway.stop()).toBe(0);
  await vi.waitFor(() => expect(stream.isOver).toBe(true));
});

test("a position unknown to one indexer is passed on to the other", async () => {
  const upstreams = await Promise.all(
    ["aaaaaaaaaaaa", "bbbbbbbbbbbb"].map((epoch) =>
      startUpstream((request, response) => {
        response.writeHead(request.url?.includes(epoch) ? 200 : 410, { "Content-Type": "application/json" });
        response.end(JSON.stringify({ epoch }));
      }),
    ),
  );
  const gateway = await open(upstreams);
  for (let i = 0; i < 4; i++) {
    for (const epoch of ["aaaaaaaaaaaa", "bbbbbbbbbbbb"]) {
      const reply = await fetch(`${gateway.url}/changes?after=${epoch}-1`);
      expect([reply.status, await reply.json()]).toEqual([200, { epoch }]);
    }
  }
  expect((await fetch(`${gateway.url}/changes?after=cccccccccccc-1`)).status).toBe(410);
});

test.each(["/changes", "/changes/stream", "/api/changes"])(
  "%s: a reader that may start over does so only if no indexer has its epoch",
  async (path) => {
    const upstreams = await Promise.all(
      ["aaaaaaaaaaaa", "bbbbbbbbbbbb"].map((epoch) =>
        startUpstream((request, response) => {
          const [has, resync] = [epoch, "resync=true"].map((part) => request.url?.includes(part));
          response.writeHead(has || resync ? 200 : 410, { "Content-Type": "application/json" });
          response.end(JSON.stringify({ is_resync: !has }));
        }),
      ),
    );
    const gateway = await open(upstreams);
    const isResync = async (query: string) => (await fetch(`${gateway.url}${path}?${query}`)).json();
    for (let i = 0; i < 4; i++) {
      for (const epoch of ["aaaaaaaaaaaa", "bbbbbbbbbbbb"]) {
        expect(await isResync(`after=${epoch}-1&resync=true&name=a.eth`)).toEqual({ is_resync: false });
      }
    }
    expect(await isResync("resync=true&after=cccccccccccc-1")).toEqual({ is_resync: true });
  },
);
