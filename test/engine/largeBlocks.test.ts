import { expect, test } from "vitest";
import { plainEnv } from "./ponders.ts";
import { runNode } from "./runTrial.ts";

/** Looks for 400 topics, each twice, in the bloom of every second one of them and of an empty block. */
const bloomProgram = `
  const { isInBloom, zeroLogsBloom } = await file("sync-realtime/bloom.js");
  const { keccak256, numberToHex } = await import("viem");
  const bits = new Uint8Array(256);
  const topics = Array.from({ length: 400 }, (_, index) => numberToHex(index, { size: 32 }));
  for (const [index, topic] of topics.entries()) {
    if (index % 2 === 1) continue;
    const hash = Buffer.from(keccak256(topic).slice(2), "hex");
    for (const at of [0, 2, 4]) {
      const bit = hash.readUInt16BE(at) & 0x7ff;
      bits[255 - (bit >> 3)] |= 1 << (bit & 7);
    }
  }
  const blooms = ["0x" + Buffer.from(bits).toString("hex"), zeroLogsBloom];
  console.log(JSON.stringify([...topics, ...topics].map((topic) => blooms.map((bloom) => isInBloom(bloom, topic)))));
`;

test("a block's bloom is read as Ponder reads it", async () => {
  const [changed, unchanged] = await Promise.all([
    runNode(bloomProgram),
    runNode(bloomProgram, { env: plainEnv }),
  ]);
  expect(changed).toEqual(unchanged);
  expect(changed).toContainEqual([true, false]);
  expect(changed).toContainEqual([false, false]);
});

/** The lesson from one event about a row's key, and the resulting key for the next event. */
const profileProgram = `
  const { recordProfilePattern, recoverProfilePattern } = await file("indexing-store/profile.js");
  const event = (node) => ({
    type: "log",
    chain: { id: 1 },
    event: {
      id: "1",
      args: { node },
      log: { address: "0xab", logIndex: 3 },
      block: { hash: "0x01", number: 2n, timestamp: 100n },
      transaction: { hash: "0x02", from: "0x03", to: "0x04", transactionIndex: 1 },
    },
  });
  const table = {};
  const columns = new Map([[table, ["chainId", "resolver", "node", "version", "coinType"].map((name) => [name, name])]]);
  const key = { chainId: 1, resolver: "0xab", node: "0x0a", version: 0, coinType: 60n };
  const pattern = (hints, more) => recordProfilePattern(event("0x0a"), table, { ...key, ...more }, hints, columns);
  const learnt = pattern([]);
  const next = learnt && recoverProfilePattern(learnt, event("0x0b"));
  const ways = Array.from({ length: 8 }, () => ({ node: { type: "derived", value: ["args", "node"] } }));
  const text = (_, value) => (typeof value === "bigint" ? String(value) : value);
  console.log(JSON.stringify({ next, named: pattern([], { version: "a name" }), ninth: pattern(ways) }, text));
`;

test("a key with numbers that no event has is prefetched in a bounded number of ways", async () => {
  const next = { chainId: 1, resolver: "0xab", node: "0x0b", version: 0, coinType: "60" };
  expect(await runNode(profileProgram)).toEqual({ next });
  expect(await runNode(profileProgram, { env: plainEnv })).toEqual({});
});
