import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { checkpointTable } from "../../engine/ponderInternals.ts";
import { withClient } from "../../src/api/server/postgres/client.ts";
import type { Stack } from "../support/stack.ts";
import { judgeStack } from "../truth/trial.ts";
import { startLoad } from "./load.ts";
import type { FaultChain } from "./pulse.ts";
import { type FaultStage, openFaultStage } from "./stage.ts";
import { tell } from "./tell.ts";

const SLOW_CLIENTS = 200;
/** Headers may take 20 seconds, and late clients are looked for every 30 seconds. Node's default is at least 60. */
const SENT_AWAY_MS = 57_000;
const DRIP_MS = 250;
const LOCK_MS = 8_000;
const CALLERS = 60;

let stage: FaultStage;
let chain: FaultChain;
let stack: Stack;

beforeAll(async () => {
  stage = await openFaultStage({ seed: 6_006, past: 60 });
  ({ chain, stack } = stage);
});
afterAll(() => stage?.close());

const load = (callers: number) => startLoad({ url: () => stack.url, timeline: chain.timeline, callers });

async function expectWhole(): Promise<void> {
  expect((await judgeStack(stack, chain.local)).differences).toEqual([]);
}

/** Runs the work while another client locks the tables of the index, like a migration or a forgotten transaction. */
function whileLocked<Result>(work: () => Promise<Result>): Promise<Result> {
  return withClient({ connectionString: stack.databaseUrl }, async (client) => {
    await client.query(`begin; set local search_path = ${stack.schema}`);
    for (const table of ["domains", "text_records", "events", checkpointTable]) {
      await client.query(`lock table ${table} in access exclusive mode`);
    }
    return work();
  });
}

test("while every connection waits for a lock each caller gets a late answer or an error, and afterwards all is well", async () => {
  const asking = load(CALLERS);
  await asking.nextAnswer();
  const refused = await whileLocked(async () => {
    await chain.beat();
    await sleep(LOCK_MS);
    const isRefused = () => Object.keys(asking.seen().refused).length > 0;
    await vi.waitUntil(isRefused, { timeout: 120_000, interval: 100 });
    return { ...asking.seen().refused };
  });
  const released = Date.now();
  await asking.nextAnswer();
  const normalAfter = Date.now() - released;
  await stack.waitForHead();
  const seen = await asking.stop();
  tell(`tables locked for ${LOCK_MS} ms, ${CALLERS} callers`, seen, normalAfter);
  expect(seen.wrong).toEqual([]);
  expect(seen.unanswered).toBe(0);
  expect(Object.keys(refused)).toEqual(["INDEX_NOT_READY"]);
  await expectWhole();
}, 600_000);

test(`${SLOW_CLIENTS} clients that send a request byte by byte delay no one, and are disconnected`, async () => {
  const { port, hostname } = new URL(stack.url);
  const slow: Socket[] = Array.from({ length: SLOW_CLIENTS }, () => {
    const socket = connect(Number(port), hostname);
    socket.on("error", () => {});
    socket.write("GET /whois/pulse.eth HTTP/1.1\r\nHost: localhost\r\nX-Slow: ");
    return socket;
  });
  // Measured by the bytes sent: no client is late while the machine stands still.
  let drops = 0;
  const drip = setInterval(() => {
    drops++;
    for (const socket of slow) if (socket.writable) socket.write("a");
  }, DRIP_MS);
  const asking = load(4);
  try {
    await asking.nextAnswer();
    const open = slow.filter(({ writable }) => writable).length;
    await chain.beat();
    await stack.waitForHead();
    for (let round = 0; round < 4; round++) await asking.nextAnswer();
    const seen = await asking.stop();
    tell(`${open} slow clients`, seen);
    expect(open).toBe(SLOW_CLIENTS);
    expect([seen.wrong, seen.refused, seen.unanswered]).toEqual([[], {}, 0]);
    while (slow.some(({ destroyed }) => !destroyed)) {
      expect(drops * DRIP_MS, "some are still there").toBeLessThan(SENT_AWAY_MS);
      await sleep(DRIP_MS);
    }
  } finally {
    clearInterval(drip);
    for (const socket of slow) socket.destroy();
  }
  await chain.play(5);
  await expectWhole();
}, 600_000);
