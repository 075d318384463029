import { type Hex, hexToBytes, keccak256, numberToHex } from "viem";
import { afterEach, describe, expect, test } from "vitest";
import { blocksOfLogs } from "../../engine/backfill/blocksOfLogs.ts";
import { addIndexedBlocks } from "../../engine/backfill/indexedBlocks.ts";
import { jsonRows } from "../../engine/backfill/jsonRows.ts";
import { type FilterRules, wantedLogsBy } from "../../engine/backfill/wantedLogs.ts";
import { bloomReader, KEPT_HASHES } from "../../engine/liveBlocks/bloom.ts";
import { orConstant } from "../../engine/liveBlocks/constantPattern.ts";
import { addRowsAhead, ROWS_AT_ONCE } from "../../engine/liveBlocks/rowsAhead.ts";
import { encodable, inParts, ROWS_OF_STATEMENT } from "../../engine/predicted/inParts.ts";
import { ReadContracts } from "../../engine/reads/readContracts.ts";
import { ponderModule } from "./ponders.ts";

const rules = (await ponderModule("runtime/filter.js")) as FilterRules;
const { intervalUnion } = await ponderModule("utils/interval.js");

const addressOf = (number: number): Hex => numberToHex(number, { size: 20 });
const TOPIC = numberToHex(7, { size: 32 });
const FACTORY = { id: "found", type: "log", chainId: 1, address: addressOf(1), eventSelector: TOPIC };

const logOf = (address: Hex, { block = 5, topic = TOPIC } = {}) => ({
  address,
  blockNumber: numberToHex(block),
  topics: [topic, null, null, null] as (Hex | null)[],
});
const filterOf = (address: unknown, topic0 = TOPIC) => ({
  type: "log",
  chainId: 1,
  address,
  topic0,
  topic1: null,
  topic2: null,
  topic3: null,
});

describe("a backfill", () => {
  test("queues the blocks of logs by their numbers, where only logs are followed", () => {
    const logs = new Map([10, 9, 100].map((block) => [block, []]));
    expect(blocksOfLogs(logs, [[], []])).toEqual([9, 10, 100]);
    expect(blocksOfLogs(logs, [[], [{}]])).toBeNull();
  });

  test("leaves out logs of other contracts where it asked for those of all", () => {
    const wantedLogs = wantedLogsBy(rules);
    const children = new Map([
      [addressOf(2), 5],
      [addressOf(3), 9],
    ]);
    const wanted = [logOf(addressOf(2)), logOf(addressOf(8), { topic: numberToHex(8, { size: 32 }) })];
    const logs = [...wanted, logOf(addressOf(3)), logOf(addressOf(4))];
    const filters = [filterOf(FACTORY), filterOf(addressOf(8), numberToHex(8, { size: 32 }))];
    const fetched = { logs, filters, childAddresses: new Map([["found", children]]) };
    expect(wantedLogs({ ...fetched, threshold: 2 })).toEqual(wanted);
    expect(wantedLogs({ ...fetched, threshold: 3 })).toEqual(logs);
  });

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

  test("writes rows of its cache as JSON with names of SQL", () => {
    const row = { chainId: 1n, logIndex: 2, topic0: null, isRemoved: undefined };
    expect(jsonRows([row, { chainId: 3n }])).toBe(
      '[{"chain_id":"1","log_index":2,"topic0":null},{"chain_id":"3"}]',
    );
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

  test("a number that no event has stands for itself, in eight ways at most", () => {
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

    test("are asked for, up to a number of them", () => {
      expect(named(2)).toEqual([{ id: 0 }, { id: 1 }]);
      expect(named(ROWS_AT_ONCE + 5)).toHaveLength(ROWS_AT_ONCE);
    });

    test("are not asked for where the store has all of them, or no code names any", () => {
      expect(named(2, true)).toEqual([]);
      globalThis.namedexRowsAhead = undefined;
      expect(() =>
        addRowsAhead({}, { prediction: new Map(), cache: new Map(), keyOf: String }),
      ).not.toThrow();
    });
  });
});

test("a contract was read if a handler read it on the same chain, alone or among others", () => {
  const contracts = new ReadContracts();
  contracts.note(1, { address: "0xAb" });
  contracts.note(1, { contracts: [{ address: "0x01" }, { address: "0x02" }] });
  contracts.note(1, {});
  const has = (chainId: number, address: string) => contracts.has({ chainId, address });
  expect([has(1, "0xaB"), has(1, "0x01"), has(1, "0x02")]).toEqual([true, true, true]);
  expect([has(2, "0xab"), has(1, "0x03")]).toEqual([false, false]);
});

test("many conditions are asked in parts, and the answers are in order", async () => {
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
