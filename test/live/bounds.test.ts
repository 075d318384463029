import { decodeFunctionData, encodeFunctionResult, type Hex, toHex } from "viem";
import { describe, expect, test } from "vitest";
import { multicall3Abi } from "../../abis/universalResolver.ts";
import type { Gateways } from "../../src/api/names/live/ccip/gatewayClient.ts";
import { createLive } from "../../src/api/names/live/live.ts";
import { NAMES_PER_OWNERS_CALL, readOwners } from "../../src/api/names/live/liveOwners.ts";
import type { CallAt, CallResult, Rpc } from "../../src/api/names/live/rpc.ts";
import { limiter } from "../../src/api/server/scheduling/bounded.ts";

const address = (number: number) => toHex(number, { size: 20 });
const contracts = {
  multicall3: address(1),
  registry: address(2),
  registrar: address(3),
  wrapper: address(4),
  universalResolver: address(5),
  agents: undefined,
};
const soon = () => AbortSignal.timeout(60_000);
const noGateways: Gateways = { ask: async () => "0x", close: async () => {} };
const noAnswers = {
  find: async () => new Map(),
  findRecent: async () => new Map(),
  put: async () => {},
  removeOld: async () => {},
};

/** A Multicall3 whose reads all answer the zero word, or three for `getData`. */
const multicall = ({ data }: CallAt): CallResult => {
  const { args } = decodeFunctionData({ abi: multicall3Abi, data });
  const result = args[0].map(() => ({ success: true, returnData: `0x${"00".repeat(96)}` as Hex }));
  return { ok: true, data: encodeFunctionResult({ abi: multicall3Abi, functionName: "aggregate3", result }) };
};

const names = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ node: toHex(i, { size: 32 }), ethLabelhash: null }));

describe("owners of many names", () => {
  test.each([
    [1, 1],
    [NAMES_PER_OWNERS_CALL, 1],
    [NAMES_PER_OWNERS_CALL + 1, 2],
    [500, 2],
  ])("%i are read by %i calls", async (count, calls) => {
    const made: CallAt[] = [];
    const call: Rpc["call"] = async (one) => {
      made.push(one);
      return multicall(one);
    };
    const rpc: Rpc = { isConfigured: true, newestBlock: async () => 1, block: async () => null, call };
    const owners = await readOwners(
      { rpc, contracts, signal: soon() },
      { names: names(count), blockNumber: 9 },
    );
    expect(owners).toHaveLength(count);
    expect(made.map(({ blockNumber }) => blockNumber)).toEqual(Array<number>(calls).fill(9));
  });
});

describe("a queue", () => {
  test("runs at most three at a time, and everything in order", async () => {
    const inTurn = limiter(3);
    let running = 0;
    let most = 0;
    const begun: number[] = [];
    const task = (index: number) => async () => {
      begun.push(index);
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, 5));
      running--;
      return index;
    };
    const done = await Promise.all(Array.from({ length: 20 }, (_, i) => inTurn(soon(), task(i))));
    expect(done).toEqual(Array.from({ length: 20 }, (_, i) => i));
    expect(begun).toEqual(done);
    expect(most).toBe(3);
  });

  test("continues after a task that fails, and does not start one whose time is over", async () => {
    const inTurn = limiter(1);
    const fails = inTurn(soon(), () => Promise.reject(new Error("no")));
    const late = inTurn(AbortSignal.abort(), async () => "begun");
    const sound = inTurn(soon(), async () => "sound");
    await expect(fails).rejects.toThrow("no");
    await expect(late).rejects.toThrow(/abort/i);
    expect(await sound).toBe("sound");
  });
});

test("an answer that takes longer than the total time limit is a failure", async () => {
  const call: Rpc["call"] = (_, signal) =>
    new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  const rpc: Rpc = { isConfigured: true, newestBlock: async () => 1, block: async () => null, call };
  const live = createLive({ rpc, gateways: noGateways, answers: noAnswers, contracts, timeLimitMs: 100 })(
    "test",
  );
  const wanted = { coinTypes: [60n], contenthash: false, texts: [] };
  const question = { name: "slow.eth", node: toHex(1, { size: 32 }), ethLabelhash: null, wanted };
  const before = Date.now();
  const [settled] = await live.names({ number: 1, timestamp: 1 }, [question]);
  expect(settled).toMatchObject({ failure: { step: "deadline" } });
  expect(Date.now() - before).toBeLessThan(9_000);
});
