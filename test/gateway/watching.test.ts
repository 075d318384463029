import { Agent, get } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import type { RunningGateway } from "./gateway.ts";
import { open, unlessHeldUp } from "./opened.ts";
import { type Claim, says, startUpstream, type Upstream } from "./upstream.ts";

const never = () => new Promise<void>(() => {});

/** An indexer that does one thing at a time, in request order, including reports of its state. */
async function startQueue(turnMs: number): Promise<Upstream> {
  let busyUntil = 0;
  const turn = () => {
    busyUntil = Math.max(busyUntil, Date.now()) + turnMs;
    return sleep(busyUntil - Date.now());
  };
  const upstream = await startUpstream(async (_, response) => {
    await turn();
    response.end("{}");
  });
  upstream.beforeClaim = turn;
  return upstream;
}

/**
 * Strangers that query the indexer without a break, bypassing the gateway. Their number grows
 * until all are there.
 */
function crowd({ url }: Upstream, connections: number): () => void {
  const agent = new Agent({ keepAlive: true });
  let isOver = false;
  const ask = () => {
    if (isOver) return;
    const sent = get(`${url}/stranger`, { agent }, (reply) => reply.resume().on("end", ask));
    sent.on("error", () => {});
  };
  let come = 0;
  const coming = setInterval(() => {
    for (let next = 0; next < 10 && come < connections; next++, come++) ask();
  }, 100);
  return () => {
    isOver = true;
    clearInterval(coming);
    agent.destroy();
  };
}

/** Pause between two requests of a caller. */
const PAUSE_MS = 20;

/**
 * Callers that ask repeatedly, at first one after the other. Each answer is recorded by its
 * status.
 */
function startCallers({ url }: RunningGateway, callers: number) {
  const seen = new Map<number, number>();
  let isOver = false;
  const call = async (number: number) => {
    await sleep(number * 100);
    while (!isOver) {
      const reply = await fetch(`${url}/x`);
      await reply.text();
      seen.set(reply.status, (seen.get(reply.status) ?? 0) + 1);
      await sleep(PAUSE_MS); // Without it, one caller occupies a processor.
    }
  };
  const calling = Promise.all(Array.from({ length: callers }, (_, number) => call(number)));
  calling.catch(() => {}); // Triggered by `stop`.
  return {
    statuses: () => [...seen.keys()],
    stop: async () => {
      isOver = true;
      await calling;
    },
  };
}

const statesOf = async (gateway: RunningGateway) =>
  (await gateway.status()).body.indexers.map(({ state }) => state);

test(
  "an overloaded indexer that answers keeps being asked, though its state waits for seconds in the same queue",
  unlessHeldUp,
  async () => {
    const upstream = await startQueue(10);
    const gateway = await open([upstream], { GATEWAY_MAX_REQUESTS: "200" });
    const callers = startCallers(gateway, 40);
    const leave = crowd(upstream, 400);
    const timeState = async () => {
      const asked = Date.now();
      await fetch(`${upstream.url}/indexing-status`);
      return Date.now() - asked;
    };
    // Late twice in a row: the gateway has noticed.
    await vi.waitUntil(async () => (await timeState()) > 3_000, { timeout: 60_000 });
    expect(await timeState(), "its state is late").toBeGreaterThan(3_000);
    expect(await statesOf(gateway)).toEqual(["synced"]);
    leave();
    await callers.stop();
    expect(callers.statuses()).toEqual([200]);
  },
);

test("a hanging indexer is dropped within seconds, in the midst of answers", unlessHeldUp, async () => {
  const upstream = await startUpstream(says("a"));
  const gateway = await open([upstream]);
  const callers = startCallers(gateway, 4);
  await sleep(1_000);
  upstream.handle = () => {};
  upstream.beforeClaim = never;
  await gateway.until("unreachable");
  expect((await gateway.operatorStatus()).indexers[0]?.why).toBe("did not report its state within 3 s");
  upstream.handle = says("a");
  upstream.beforeClaim = async () => {};
  await gateway.until("synced");
  await upstream.kill(); // Including the callers it never answered.
  await callers.stop();
});

test(
  "an indexer that answers callers but does not report its state is dropped after the time limit of an answer",
  unlessHeldUp,
  async () => {
    const upstream = await startUpstream(says("a"));
    const gateway = await open([upstream], { GATEWAY_TIMEOUT_SECONDS: "15" });
    const callers = startCallers(gateway, 2);
    upstream.beforeClaim = never;
    await sleep(4_500);
    expect(await statesOf(gateway)).toEqual(["synced"]);
    await gateway.until("unreachable");
    expect((await gateway.operatorStatus()).indexers[0]?.why).toBe("did not report its state within 15 s");
    await callers.stop();
  },
);

test(
  "the same happens earlier once the indexer may have fallen further behind than allowed",
  unlessHeldUp,
  async () => {
    const upstream = await startUpstream(says("a"), { lag: 100 });
    const gateway = await open([upstream], { GATEWAY_MAX_LAG_SECONDS: "104" });
    const callers = startCallers(gateway, 2);
    upstream.beforeClaim = never;
    await gateway.until("lagging");
    await callers.stop();
  },
);

test(
  "an indexer that never reported its state is not asked, and one that turned a caller away rests until it reports",
  unlessHeldUp,
  async () => {
    const [mute, refusing, other] = await Promise.all([
      startUpstream(says("mute")),
      startUpstream((_, response) => void response.writeHead(503).end("{}")),
      startUpstream(says("other")),
    ]);
    mute.beforeClaim = never;
    const gateway = await open([mute, refusing, other]);
    refusing.beforeClaim = never;
    const states = async () => (await statesOf(gateway)).join();
    while ((await states()) === "unreachable,synced,synced") {
      expect((await fetch(`${gateway.url}/x`)).status).toBe(200);
    }
    const resting = /^unreachable,(not_ready|unreachable),synced$/; // Its state is overdue, in the end for too long.
    expect(await states()).toMatch(resting);
    const turned = refusing.requests.length;
    await sleep(1_500); // The others report theirs meanwhile.
    expect(await states()).toMatch(resting);
    for (let i = 0; i < 20; i++) expect((await fetch(`${gateway.url}/x`)).status).toBe(200);
    expect(refusing.requests.length).toBe(turned);
    expect(turned).toBe(1);
    expect(mute.requests).toEqual([]);
  },
);

test(
  "while one indexer is slow to report, another that is not ready is noticed at once",
  unlessHeldUp,
  async () => {
    const [slow, other] = [await startUpstream(says("slow")), await startUpstream(says("other"))];
    const gateway = await open([slow, other]);
    const callers = startCallers(gateway, 4);
    slow.beforeClaim = never;
    await sleep(1_500);
    other.claim = { ready: false, reason: "late" };
    await gateway.until("synced", "not_ready");
    await callers.stop();
  },
);

test(
  "an answer to a question asked before the indexer turned a caller away does not end its rest",
  unlessHeldUp,
  async () => {
    const [refusing, other] = await Promise.all([
      startUpstream((_, response) => void response.writeHead(503).end("{}")),
      startUpstream(says("other")),
    ]);
    const gateway = await open([refusing, other]);
    const questions: (() => void)[] = [];
    refusing.beforeClaim = () => new Promise((answer) => questions.push(answer));
    await vi.waitUntil(() => questions.length === 1, { timeout: 20_000 });
    const states = async () => (await statesOf(gateway)).join();
    while ((await states()) === "synced,synced") {
      expect((await fetch(`${gateway.url}/x`)).status).toBe(200);
    }
    questions[0]?.();
    await vi.waitUntil(() => questions.length === 2, { timeout: 20_000 }); // The answer has arrived, because it is asked again.
    expect(await states()).toBe("not_ready,synced");
    questions[1]?.();
    await gateway.until("synced", "synced");
  },
);

test("the status and the metrics say which of database, indexer, node and process does not work", async () => {
  const upstream = (claim: Claim) => startUpstream((_, response) => response.end("{}"), claim);
  const gone = await upstream({});
  const upstreams = [
    await upstream({}),
    await upstream({ ready: false, reason: "no_database", database: "unreachable", running: false }),
    await upstream({ ready: false, reason: "late", running: false }),
    await upstream({ head: null }),
    gone,
  ];
  const gateway = await open(upstreams);
  await gone.kill();
  await gateway.until("synced", "not_ready", "not_ready", "synced", "unreachable");
  const { indexers } = (await gateway.operatorStatus()) as unknown as {
    indexers: { down: string[]; why: string }[];
  };
  expect(indexers.map(({ down }) => down)).toEqual([[], ["database"], ["indexer"], ["node"], ["process"]]);
  expect(indexers[1]?.why).toBe("not ready: no_database; down: database");
  const metrics = await (await fetch(`${gateway.metricsUrl}/gateway/metrics`)).text();
  const down = [...metrics.matchAll(/part_down\{indexer="([^"]+)",part="(\w+)"\} 1/g)];
  expect(down.map(([, url, part]) => [upstreams.findIndex((one) => one.url === url), part])).toEqual([
    [1, "database"],
    [2, "indexer"],
    [3, "node"],
    [4, "process"],
  ]);
});
