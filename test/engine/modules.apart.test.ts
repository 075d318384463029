import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type Hex, hexToBytes, keccak256, numberToHex } from "viem";
import { afterEach, describe, expect, test } from "vitest";
import { FetchProgress, type ProgressLine } from "../../engine/backfill/fetchProgress.ts";
import { addIndexedBlocks } from "../../engine/backfill/indexedBlocks.ts";
import { mergeFound, mergeWanted, wantedBy } from "../../engine/backfill/logGroups.ts";
import { isAboutRange, LogRange, MOST_BLOCKS } from "../../engine/backfill/logRange.ts";
import { bloomReader, KEPT_HASHES } from "../../engine/liveBlocks/bloom.ts";
import { orConstant } from "../../engine/liveBlocks/constantPattern.ts";
import { addRowsAhead, ROWS_AT_ONCE } from "../../engine/liveBlocks/rowsAhead.ts";
import { quietLogger } from "../../engine/ponderModule.ts";
import { encodable, inParts, ROWS_OF_STATEMENT } from "../../engine/predicted/inParts.ts";
import { ReadContracts } from "../../engine/reads/readContracts.ts";
import { ponderModule } from "./ponders.ts";

const { intervalUnion } = await ponderModule("utils/interval.js");

const addressOf = (number: number): Hex => numberToHex(number, { size: 20 });
const TOPIC = numberToHex(7, { size: 32 });
const wordOf = (number: number): Hex => numberToHex(number, { size: 32 });

/** The contracts that a filter for a topic wants (null: any), in blocks 0 to 9. */
const wantedOf = (
  topic: number,
  address: number | null,
  { topic1 = null as Hex | null, to = 9, contracts = address === null ? null : [addressOf(address)] } = {},
) =>
  wantedBy({ type: "log", topic0: wordOf(topic), topic1, hasTransactionReceipt: false }, contracts, [0, to]);
const shapeOf = ({ address, topics, interval }: ReturnType<typeof wantedOf>) => ({
  contracts: address?.map(Number) ?? null,
  topics: topics.map((words) => words?.map(Number) ?? null),
  last: interval[1],
});

test("a backfill logs every ten seconds how far it is, and the rest at the pace of the last minutes", () => {
  let now = 0;
  const lines: ProgressLine[] = [];
  const progress = new FetchProgress({
    first: 1,
    last: 20_000,
    say: (line) => lines.push(line),
    clock: () => now,
  });
  // Ten requests, 100 blocks and 500 logs in each five seconds; later twice as many of each.
  for (let step = 1; step <= 90; step++) {
    const factor = step <= 20 ? 1 : 2;
    now += 5_000;
    for (let request = 0; request < 10 * factor; request++) progress.requested();
    progress.fetched((step <= 20 ? step : 2 * step - 20) * 100, 500 * factor);
  }
  expect(lines).toHaveLength(45);
  expect(lines[0]).toEqual({
    percentage: 0.5,
    block: 100,
    logs_per_second: 100,
    requests: 11,
    requests_expected: 2_000,
    minutes_left: 17,
  });
  expect(lines.at(-1)).toMatchObject({ percentage: 79, block: 15_800, logs_per_second: 200 });
});

describe("requests for logs", () => {
  test("are one for all contracts, one for any contract, and one for each other topic and interval", () => {
    const topic1 = wordOf(77);
    const all = [
      wantedOf(1, 10),
      wantedOf(2, 11),
      wantedOf(1, 11),
      wantedOf(3, null),
      wantedOf(4, null),
      wantedOf(5, 12, { topic1 }),
      wantedOf(6, 13, { to: 5 }),
    ];
    expect(mergeWanted(all).map(shapeOf)).toEqual([
      { contracts: [10, 11], topics: [[1, 2], null, null, null], last: 9 },
      { contracts: null, topics: [[3, 4], null, null, null], last: 9 },
      { contracts: [12], topics: [[5], [77], null, null], last: 9 },
      { contracts: [13], topics: [[6], null, null, null], last: 5 },
    ]);
  });

  test("ask found contracts for the topics of their own filters only", () => {
    const [some, others, third] = [[addressOf(1), addressOf(2)], [addressOf(3)], [addressOf(4)]];
    const of = (topic: number, contracts: Hex[]) => wantedOf(topic, 0, { contracts });
    const all = [of(1, some), of(2, some), of(2, others), of(1, others), of(9, third)];
    expect(mergeFound(all).map(shapeOf)).toEqual([
      { contracts: [1, 2, 3], topics: [[1, 2], null, null, null], last: 9 },
      { contracts: [4], topics: [[9], null, null, null], last: 9 },
    ]);
  });

  /** Lets a node answer requests of up to `limit` blocks. Returns how many of 1,000 it refused. */
  const refusalsOf = (range: LogRange, limit: number, suggested: number | null): number => {
    let refused = 0;
    for (let i = 0; i < 1_000; i++) {
      if (range.size <= limit) range.answered(range.size);
      else {
        refused++;
        range.refused(range.size, suggested);
      }
    }
    return refused;
  };

  test.each([
    [10_000, 9_999],
    [10_000, null],
    [2_000, 1_999],
    [700, null],
    [1, null],
  ])("find a limit of %i blocks (suggested: %o) and seldom try more", (limit, suggested) => {
    const range = new LogRange();
    expect(refusalsOf(range, limit, suggested)).toBeLessThan(25);
    expect(range.size).toBeGreaterThan(limit / 2.5);
  });

  /** The ranges that Ponder's backfill requests from a node that throws this for more than 600 blocks. */
  const rangesOf = async (refusal: object): Promise<number[]> => {
    const { createHistoricalSync } = await ponderModule("sync-historical/index.js");
    const filter = { type: "log", address: addressOf(1), topic0: wordOf(1), hasTransactionReceipt: false };
    const sizes: number[] = [];
    const request = async ({ params: [{ fromBlock, toBlock }] }: { params: [Record<string, Hex>] }) => {
      sizes.push(Number(toBlock) - Number(fromBlock) + 1);
      if ((sizes.at(-1) ?? 0) > 600) throw Object.assign(new Error("refused"), refusal);
      return [];
    };
    const sync = createHistoricalSync({
      common: { logger: quietLogger, options: {} },
      chain: { id: 1 },
      childAddresses: new Map(),
      eventCallbacks: [{ filter }],
      syncProgress: { start: { number: "0x0" }, finalized: { number: numberToHex(3_999) } },
      rpc: { request },
    });
    const requiredIntervals = [{ filter, interval: [0, 3_999] }];
    await sync.syncBlockRangeData({ requiredIntervals, requiredFactoryIntervals: [], syncStore: {} });
    return sizes.filter((size) => size <= 600);
  };

  test("are halved if a node refuses them for their size in words unknown to Ponder", async () => {
    const answered = await rangesOf({
      code: -32_000,
      message: "your plan allows fewer blocks: limit reached",
    });
    expect(answered.reduce((sum, size) => sum + size, 0)).toBe(4_000);
  });

  test("are not halved if a node refuses them for other reasons, or by the plan's rate", async () => {
    await expect(rangesOf({ message: "no such key" })).rejects.toThrow("no such key");
    await expect(rangesOf({ code: 429, message: "limit reached" })).rejects.toThrow("limit reached");
  });

  /** Sends a request for logs through Ponder to a node that refuses it with these words. Returns how often it was sent. */
  const timesSent = async (message: string): Promise<number> => {
    let sent = 0;
    const node = createServer((request, response) => {
      sent++;
      request.resume();
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ jsonrpc: "2.0", id: 1, error: { code: -32_000, message } }));
    });
    await new Promise<void>((resolve) => node.listen(0, "127.0.0.1", resolve));
    const { createRpc } = await ponderModule("rpc/index.js");
    const metric = { inc: () => {}, observe: () => {} };
    const rpc = createRpc({
      common: {
        logger: quietLogger,
        shutdown: { add: () => {} },
        metrics: { ponder_rpc_request_duration: metric, ponder_rpc_request_error_total: metric },
      },
      chain: { id: 1, name: "trial", rpc: `http://127.0.0.1:${(node.address() as AddressInfo).port}` },
    });
    const params = [{ fromBlock: "0x0", toBlock: "0x2710", topics: [] }];
    await expect(rpc.request({ method: "eth_getLogs", params })).rejects.toThrow(message);
    node.close();
    return sent;
  };

  test.each([
    "eth_getLogs is limited to a 10,000 range",
    "please ask for fewer blocks",
    "query returned more than 10000 results",
    "Log response size exceeded",
  ])("are not repeated when a node refuses them: %s", async (message) => {
    expect(await timesSent(message)).toBe(1);
  });

  test.each([
    "daily request limit reached",
    "rate limit exceeded, only 10 blocks a second",
    "block range extends beyond current head block",
    "internal error",
  ])("are repeated when a node refuses them for other reasons: %s", (message) => {
    expect(isAboutRange(new Error(message))).toBe(false);
  });

  test("try a larger size only as a whole", () => {
    const range = new LogRange();
    range.answered(range.size);
    range.refused(range.size, 3_000);
    for (let i = 0; i < 20; i++) range.answered(range.size);
    expect([range.size, range.next(3_001), range.next(2_999), range.next(9_999)]).toEqual([
      3_750, 3_000, 2_999, 3_750,
    ]);
  });

  test("grow again after a dense part of the chain, up to the longest interval", () => {
    const range = new LogRange();
    refusalsOf(range, 300, 250);
    for (let i = 0; i < 3_000; i++) range.answered(range.size);
    expect(range.size).toBe(MOST_BLOCKS);
  });
});

describe("a backfill", () => {
  test("counts the blocks before the first missing one as known, if there are any", () => {
    const knownFrom = (firstMissing: bigint | undefined) => {
      const fragment: { intervals: [number, number][] } = { intervals: [[15, 20]] };
      addIndexedBlocks(new Map([[{}, [fragment]]]), firstMissing, intervalUnion);
      return fragment.intervals;
    };
    expect(knownFrom(18n)).toEqual([[0, 20]]);
    expect(knownFrom(10n)).toEqual([
      [0, 9],
      [15, 20],
    ]);
    expect([knownFrom(0n), knownFrom(undefined)]).toEqual([[[15, 20]], [[15, 20]]]);
  });
});

describe("a live block", () => {
  test("hashes an address or topic once, and forgets them when there are too many", () => {
    let hashed = 0;
    const { hashOf, bytesOf } = bloomReader(hexToBytes, (input) => {
      hashed++;
      return keccak256(input);
    });
    const first = hashOf(TOPIC);
    expect(first).toEqual(hexToBytes(keccak256(TOPIC)).subarray(0, 6));
    expect([hashOf(TOPIC) === first, hashed]).toEqual([true, 1]);
    for (let i = 0; i < KEPT_HASHES; i++) hashOf(numberToHex(i + 100, { size: 32 }));
    hashOf(TOPIC);
    expect(hashed).toBe(KEPT_HASHES + 2);
    expect([bytesOf("0x0a"), bytesOf("0x0b"), bytesOf("0x0a")].map(([byte]) => byte)).toEqual([10, 11, 10]);
  });

  test("a number that no event has is a constant, in eight ways at most", () => {
    expect(orConstant("found", 1, Array(9))).toBe("found");
    expect(orConstant(undefined, 60n, Array(7))).toEqual({ type: "constant", value: 60n });
    expect([orConstant(undefined, "a name", []), orConstant(undefined, 60n, Array(8))]).toEqual([
      undefined,
      undefined,
    ]);
  });

  describe("rows that the handlers' own code names", () => {
    afterEach(() => {
      globalThis.namedexRowsAhead = undefined;
    });
    const named = (count: number, isCacheComplete = false) => {
      const [table, other] = [{}, {}];
      globalThis.namedexRowsAhead = () => [
        [other, { id: 0 }],
        ...Array.from({ length: count }, (_, id) => [table, { id }] as const),
      ];
      const prediction = new Map([[table, new Map<string, Record<string, unknown>>()]]);
      const cache = new Map([[table, { isCacheComplete }]]);
      addRowsAhead({}, { prediction, cache, keyOf: (_, { id }) => String(id) });
      return [...(prediction.get(table)?.values() ?? [])];
    };

    test("are requested, up to a number of them", () => {
      expect(named(2)).toEqual([{ id: 0 }, { id: 1 }]);
      expect(named(ROWS_AT_ONCE + 5)).toHaveLength(ROWS_AT_ONCE);
    });

    test("are not requested if the store has all of them, or no code names any", () => {
      expect(named(2, true)).toEqual([]);
      globalThis.namedexRowsAhead = undefined;
      expect(() =>
        addRowsAhead({}, { prediction: new Map(), cache: new Map(), keyOf: String }),
      ).not.toThrow();
    });
  });
});

test("a contract counts as read if a handler read it on the same chain, alone or among others", () => {
  const contracts = new ReadContracts();
  contracts.note(1, { address: "0xAb" });
  contracts.note(1, { contracts: [{ address: "0x01" }, { address: "0x02" }] });
  contracts.note(1, {});
  const has = (chainId: number, address: string) => contracts.has({ chainId, address });
  expect([has(1, "0xaB"), has(1, "0x01"), has(1, "0x02")]).toEqual([true, true, true]);
  expect([has(2, "0xab"), has(1, "0x03")]).toEqual([false, false]);
});

test("many conditions are requested in parts, and the answers are in order", async () => {
  const sizes: number[] = [];
  const conditions = Array.from({ length: 2 * ROWS_OF_STATEMENT + 1 }, (_, i) => i);
  const ask = async (some: number[]) => {
    sizes.push(some.length);
    return some;
  };
  expect(await inParts(conditions, ask)).toEqual(conditions);
  expect(sizes).toEqual([ROWS_OF_STATEMENT, ROWS_OF_STATEMENT, 1]);
});

test("a call that cannot be encoded is left out", () => {
  const encode = (request: number) => {
    if (request === 2) throw new Error("no such argument");
  };
  expect(encodable([{ request: 1 }, { request: 2 }], encode)).toEqual([{ request: 1 }]);
});
