import { type Hex, numberToHex, zeroHash } from "viem";
import { afterEach, expect, test } from "vitest";
import { type NodeLog, storable } from "../../engine/backfill/cacheRows.ts";
import { type Receipt, receiptsRoot } from "../../engine/sources/receiptsRoot.ts";
import { findDifference } from "../../engine/sources/sourceChecks.ts";

afterEach(() => {
  globalThis.namedexStorable = undefined;
});

/** One block with a log among as many blocks as have a sample. */
const BLOCK = 7;
const log: NodeLog = {
  blockNumber: numberToHex(BLOCK),
  blockHash: zeroHash,
  logIndex: "0x0",
  transactionIndex: "0x0",
  transactionHash: zeroHash,
  address: `0x${"a".repeat(40)}`,
  topics: [zeroHash],
  data: "0x5ec7e7",
};
const receipt: Receipt = {
  transactionIndex: "0x0",
  status: "0x1",
  cumulativeGasUsed: "0x5208",
  logsBloom: `0x${"0".repeat(512)}`,
  logs: [log],
};

const compare = (given: NodeLog) =>
  findDifference(
    { interval: [1, 25_000], logs: [given] },
    {
      logs: async ([from, to]) => (from <= BLOCK && BLOCK <= to ? [storable(log)] : []),
      header: async () => ({ hash: zeroHash, timestamp: "0x1", receiptsRoot: receiptsRoot([receipt]) }),
      receipts: async (block) => (block === BLOCK ? [receipt] : null),
      transaction: async () => null,
      isCompared: () => true,
    },
  );

test("parts of logs that are not stored are not a difference, although receipts and their root have them", async () => {
  globalThis.namedexStorable = { data: () => "0x5e" as Hex, input: (input) => input };
  expect(await compare(storable(log))).toBeNull();
});

test("other content is a difference", async () => {
  expect(await compare({ ...log, data: "0x5e" })).toEqual({ block: BLOCK, what: "log 0 has other content" });
});
