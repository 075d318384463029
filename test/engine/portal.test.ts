import { type Hex, numberToHex } from "viem";
import { afterEach, describe, expect, test } from "vitest";
import type { LogQuery } from "../../engine/backfill/logGroups.ts";
import { MOST_REQUESTS, openPortal, REQUESTS_WITHIN_MS, turns } from "../../engine/sources/portal.ts";
import { type PortalPlan, startPortal } from "./portalNode.ts";
import { hashOf, startProvider } from "./providerNode.ts";

const ADDRESS = numberToHex(7, { size: 20 });
const HEAD = 30_000;
const provider = await startProvider({
  head: HEAD,
  logs: Array.from({ length: 300 }, (_, i) => ({
    block: 1 + i * 97,
    address: ADDRESS,
    topics: [hashOf(3, i % 5)],
  })),
});
provider.stop();

const any: LogQuery = { address: null, topics: [null, null, null, null] };
const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

const pauses: number[] = [];
/** A client that does not wait, and its Portal's record of requests. */
async function open(plan: Partial<PortalPlan>, withTransactions: LogQuery[] = []) {
  const portal = await startPortal({ head: HEAD, ...plan }, provider.logsOf, provider.transactionsOf);
  closing.push(portal.stop);
  pauses.length = 0;
  const pause = async (ms: number) => void pauses.push(ms);
  return { portal, source: await openPortal(portal.url, () => {}, { pause, withTransactions }) };
}

const expected = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => provider.logsOf(from + i)).flat();
const placesOf = (logs: readonly { blockNumber: Hex; logIndex: Hex }[]) =>
  logs.map(({ blockNumber, logIndex }) => `${blockNumber} ${logIndex}`);

test.each<[string, Partial<PortalPlan>]>([
  ["at once", {}],
  ["in answers that end anywhere", { endsAfter: 777 }],
  ["in answers that are cut off", { endsAfter: 5_000, cutsEvery: 2 }],
  [
    "after it was busy and broken",
    { faults: { 1: "429", 2: "503", 3: "500", 4: "204", 5: "empty", 6: "cut" } },
  ],
])("all logs arrive, each once, %s", async (_, plan) => {
  const { source } = await open(plan);
  expect(placesOf(await source.logs([any], [100, 29_999]))).toEqual(placesOf(expected(100, 29_999)));
});

test("a log has a node's fields, and its block's time", async () => {
  const { source } = await open({});
  const [log] = await source.logs([any], [98, 98]);
  const { removed: _, ...whole } = expected(98, 98)[0] as unknown as Record<string, unknown>;
  expect(log).toEqual({ ...whole, blockTimestamp: numberToHex(1_500_000_000 + 12 * 98) });
});

describe("the transactions of some logs", () => {
  const some: LogQuery = { address: [ADDRESS], topics: [[hashOf(3, 1)], null, null, null] };

  test("come with them, as a node gives them, and no others", async () => {
    const { source, portal } = await open({ endsAfter: 777 }, [some]);
    const logs = await source.logs([any], [1, 1_000]);
    expect(placesOf(logs).sort()).toEqual(placesOf(expected(1, 1_000)).sort());
    const joined = logs.filter(({ transaction }) => transaction !== undefined);
    expect(joined.map(({ topics }) => topics[0])).toEqual([hashOf(3, 1), hashOf(3, 1)]);
    expect(joined.map(({ transaction }) => transaction)).toEqual(
      joined.map(({ blockNumber }) => provider.transactionsOf(Number(blockNumber))[0]),
    );
    expect(portal.seen.refused).toEqual([]);
  });

  test("are not requested if their events are not", async () => {
    const { source } = await open({}, [some]);
    const logs = await source.logs([{ ...any, topics: [[hashOf(3, 2)], null, null, null] }], [1, 1_000]);
    expect(logs.map(({ topics }) => topics[0])).toEqual([hashOf(3, 2), hashOf(3, 2)]);
  });
});

test("a Portal that never answers is abandoned, with pauses that grow to half a minute", async () => {
  const { source } = await open({ cutsEvery: 1 });
  await expect(source.logs([any], [1, 100])).rejects.toThrow(/10 times in a row/);
  expect(pauses).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
});

test("many contracts take several items, and many items several requests", async () => {
  const { source, portal } = await open({});
  const addresses = Array.from({ length: 12_000 }, (_, i) => numberToHex(i, { size: 20 }));
  const single = Array.from(
    { length: 130 },
    (_, i): LogQuery => ({ address: [ADDRESS], topics: [[hashOf(3, i)], null, null, null] }),
  );
  const before = portal.seen.requests;
  await source.logs([{ ...any, address: addresses }, ...single], [1, 10]);
  expect(portal.seen.refused).toEqual([]);
  expect(portal.seen.requests - before).toBe(4);
});

test("the hash of a block without logs is known", async () => {
  const { source } = await open({});
  expect(await source.hashOf(50)).toBe(hashOf(1, 50));
  expect(await source.hashOf(HEAD + 1)).toBeNull();
});

test("the public Portal is asked at most 20 times in 10 seconds", async () => {
  let waited = 0;
  const takeTurn = turns(async (ms) => {
    waited += ms;
  });
  for (let i = 0; i < MOST_REQUESTS; i++) await takeTurn();
  expect(waited).toBe(0);
  await takeTurn();
  expect(waited).toBeGreaterThan(REQUESTS_WITHIN_MS - 5_000);
});
