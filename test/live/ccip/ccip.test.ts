import {
  type Address,
  concat,
  decodeAbiParameters,
  decodeFunctionResult,
  encodeAbiParameters,
  encodeErrorResult,
  encodeFunctionData,
  getAddress,
  type Hex,
  numberToHex,
} from "viem";
import { describe, expect, test } from "vitest";
import { batchGatewayAbi, offchainLookupAbi } from "../../../abis/universalResolver.ts";
import { MAX_EXCHANGED_BYTES, MAX_ROUNDS, newBudget } from "../../../src/api/names/live/ccip/budget.ts";
import { callWithLookups, MAX_BATCH, OWN_BATCH_GATEWAY } from "../../../src/api/names/live/ccip/ccip.ts";
import {
  createGateways,
  type Gateways,
  type Lookup,
} from "../../../src/api/names/live/ccip/gatewayClient.ts";
import { GatewayError } from "../../../src/api/names/live/ccip/gatewayError.ts";
import type { LiveFailure } from "../../../src/api/names/live/failure.ts";
import type { CallAt, CallResult } from "../../../src/api/names/live/rpc.ts";
import { nestedBatches, QUERY } from "./hostileLookups.ts";

const contract = getAddress("0x00000000000000000000000000000000000000c1");
const stranger = getAddress("0x00000000000000000000000000000000000000c2");
const callback = "0x11223344";
const extraData = "0xeeee";

type Asked = { sender?: Address; urls: string[]; data?: Hex };

const lookup = ({ sender = contract, urls, data = "0x01" }: Asked): CallResult => ({
  ok: false,
  revert: encodeErrorResult({
    abi: offchainLookupAbi,
    errorName: "OffchainLookup",
    args: [sender, urls, data, callback, extraData],
  }),
});

const batch = (requests: Required<Asked>[]): CallResult =>
  lookup({
    urls: [OWN_BATCH_GATEWAY],
    data: encodeFunctionData({ abi: batchGatewayAbi, functionName: "query", args: [requests] }),
  });

const done: CallResult = { ok: true, data: "0xd0" };

/** A contract that answers each call with the next of these, on a node that records the calls. */
async function run(answers: CallResult[], gateways: Pick<Gateways, "ask">) {
  const calls: CallAt[] = [];
  const rpc = {
    isConfigured: true,
    newestBlock: async () => 7,
    block: async () => null,
    call: async (call: CallAt) => {
      calls.push(call);
      return answers[Math.min(calls.length, answers.length) - 1] as CallResult;
    },
  };
  const budget = newBudget("test", AbortSignal.timeout(60_000));
  const reach = { rpc, gateways: { close: async () => {}, ...gateways }, budget };
  const first = { to: contract, data: "0xca11" as Hex, blockNumber: 7 };
  const result = await callWithLookups(reach, first).catch((error: LiveFailure) => error);
  return { result, calls };
}

/** Gateways that answer at once and count requests. */
function answering(answer: (lookup: Lookup) => Hex = () => "0xaa") {
  const asked: Lookup[] = [];
  const ask: Gateways["ask"] = async (one) => {
    asked.push(one);
    return answer(one);
  };
  return { asked, ask };
}

const refuse: Gateways["ask"] = async () => {
  throw new GatewayError("gateway.example answered with status 404", 404);
};

describe("a look-up", () => {
  test("is made, and the contract is called back with the answer at the same block", async () => {
    const gateways = answering(() => "0xbeef");
    const { result, calls } = await run(
      [lookup({ urls: ["https://gateway.example/{data}"] }), done],
      gateways,
    );
    expect(result).toEqual(done);
    expect(gateways.asked).toMatchObject([{ sender: contract, data: "0x01" }]);
    const parameters = encodeAbiParameters([{ type: "bytes" }, { type: "bytes" }], ["0xbeef", extraData]);
    expect(calls[1]).toEqual({ to: contract, data: concat([callback, parameters]), blockNumber: 7 });
  });

  test("for another contract is not made", async () => {
    const gateways = answering();
    const { result } = await run(
      [lookup({ sender: stranger, urls: ["https://gateway.example"] }), done],
      gateways,
    );
    expect(result).toMatchObject({
      step: "resolver",
      message: expect.stringContaining("on behalf of another contract"),
    });
    expect(gateways.asked).toEqual([]);
  });

  test("whose gateway fails is a failure", async () => {
    const { result } = await run([lookup({ urls: ["https://gateway.example"] }), done], { ask: refuse });
    expect(result).toMatchObject({ step: "gateway", message: expect.stringContaining("status 404") });
  });

  test("may follow another, up to four", async () => {
    const asking = lookup({ urls: ["https://gateway.example"] });
    const four = await run([asking, asking, asking, asking, done], answering());
    expect(four.result).toEqual(done);
    const gateways = answering();
    const endless = await run([asking], gateways);
    expect(endless.result).toMatchObject({ step: "gateway", message: expect.stringContaining("4 rounds") });
    expect(gateways.asked).toHaveLength(4);
  });
});

describe("a batch of look-ups", () => {
  /** What the contract is told about its batch. */
  const toldOf = (calls: CallAt[]) => {
    const parameters = `0x${calls[1]?.data.slice(10)}` as Hex;
    const [answer] = decodeAbiParameters([{ type: "bytes" }, { type: "bytes" }], parameters);
    return decodeFunctionResult({ abi: batchGatewayAbi, functionName: "query", data: answer });
  };
  const request = (data: Hex, urls = ["https://gateway.example"]) => ({ sender: stranger, urls, data });
  const httpError = (message: string) =>
    encodeErrorResult({ abi: batchGatewayAbi, errorName: "HttpError", args: [0, message] });

  test("is made one by one, each with the sender it names", async () => {
    const gateways = answering(({ data }) => data);
    const { result, calls } = await run([batch([request("0x01"), request("0x02")]), done], gateways);
    expect(result).toEqual(done);
    expect(toldOf(calls)).toEqual([
      [false, false],
      ["0x01", "0x02"],
    ]);
    expect(gateways.asked.map(({ sender }) => sender)).toEqual([stranger, stranger]);
  });

  test("reports the failed ones to the contract", async () => {
    const ask: Gateways["ask"] = async ({ data }) =>
      (data === "0x01" ? refuse : answering().ask)({} as never, {} as never);
    const { calls } = await run([batch([request("0x01"), request("0x02")]), done], { ask });
    const [failures, responses] = toldOf(calls);
    expect(failures).toEqual([true, false]);
    expect(responses[0]).toBe(
      encodeErrorResult({
        abi: batchGatewayAbi,
        errorName: "HttpError",
        args: [404, "gateway.example answered with status 404"],
      }),
    );
  });

  test("may not contain another batch, which goes to the batch gateways it names besides ours", async () => {
    const inner = encodeFunctionData({
      abi: batchGatewayAbi,
      functionName: "query",
      args: [[request("0x03")]],
    });
    const nested = [[OWN_BATCH_GATEWAY], [OWN_BATCH_GATEWAY, "https://batches.example"]];
    const gateways = answering(() => "0xaa");
    const { calls } = await run([batch(nested.map((urls) => request(inner, urls))), done], gateways);
    expect(toldOf(calls)).toEqual([
      [true, false],
      [httpError("A batch of look-ups may not hold another batch"), "0xaa"],
    ]);
    expect(gateways.asked).toMatchObject([{ urls: ["https://batches.example"], data: inner }]);
  });

  test("sends at most fifty requests over all rounds", async () => {
    const real = createGateways({ allowLoopback: true, timeoutMs: 200 });
    const dead = ["http://127.0.0.1:1/{data}"];
    const { calls } = await run([batch(Array.from({ length: 60 }, () => request("0x01", dead))), done], real);
    await real.close();
    const [failures, responses] = toldOf(calls);
    expect(failures.every((failed) => failed)).toBe(true);
    const refused = httpError("The resolver asks for too many look-ups");
    expect(responses.filter((response) => response === refused)).toHaveLength(10);
  });

  test("that cannot be read is a failure", async () => {
    const { result } = await run([lookup({ urls: [OWN_BATCH_GATEWAY], data: "0x1234" }), done], answering());
    expect(result).toMatchObject({ step: "gateway", message: expect.stringContaining("cannot be decoded") });
  });
});

describe("a hostile look-up", () => {
  const cannot = "cannot be decoded";
  const overlapping = nestedBatches(contract, { width: 45, depth: 3 });
  const wide = encodeFunctionData({
    abi: batchGatewayAbi,
    functionName: "query",
    args: [Array.from({ length: MAX_BATCH + 1 }, () => ({ sender: stranger, urls: [], data: "0x" as Hex }))],
  });
  const words = (...all: number[]) => all.map((word) => numberToHex(word, { size: 32 }));

  test.each<[what: string, asked: CallResult, because: string]>([
    [
      "batches inside batches, of which all offsets point at one element",
      lookup({ urls: [OWN_BATCH_GATEWAY], data: overlapping }),
      "values overlap",
    ],
    [
      "more look-ups than a batch may hold",
      lookup({ urls: [OWN_BATCH_GATEWAY], data: wide }),
      `more than ${MAX_BATCH}`,
    ],
    [
      "a batch of 2²⁵⁶−1 look-ups",
      lookup({ urls: [OWN_BATCH_GATEWAY], data: concat([QUERY, ...words(32), `0x${"ff".repeat(32)}`]) }),
      cannot,
    ],
    [
      "a batch whose elements are beyond its end",
      lookup({ urls: [OWN_BATCH_GATEWAY], data: concat([QUERY, ...words(32, 3, 4_096, 4_096, 4_096)]) }),
      cannot,
    ],
    ["a batch without data", lookup({ urls: [OWN_BATCH_GATEWAY], data: "0x" }), cannot],
    ["more URLs than are read", lookup({ urls: Array<string>(65).fill("https://gateway.example") }), cannot],
    [
      "a look-up whose values are one and the same",
      { ok: false, revert: concat(["0x556f1830", ...words(0, 0, 0, 0, 0, 0)]) },
      cannot,
    ],
  ])("of %s asks no gateway", async (_, asked, because) => {
    const gateways = answering();
    const { result } = await run([asked, done], gateways);
    expect(result).toMatchObject({ message: expect.stringContaining(because) });
    expect(gateways.asked).toEqual([]);
  });

  test("of no look-ups is answered with no answers", async () => {
    const { result, calls } = await run([batch([]), done], answering());
    expect(result).toEqual(done);
    expect(calls).toHaveLength(2);
  });

  test("that asks for itself repeatedly ends after four rounds, however its batches look", async () => {
    const again = batch([{ sender: contract, urls: ["https://gateway.example"], data: "0x01" }]);
    const gateways = answering();
    const { result, calls } = await run([again], gateways);
    expect(result).toMatchObject({
      message: `The resolver asked for more than ${MAX_ROUNDS} rounds of look-ups.`,
    });
    expect([calls.length, gateways.asked.length]).toEqual([MAX_ROUNDS + 1, MAX_ROUNDS]);
  });

  /** Look-ups at one gateway. */
  const lookUps = (count: number) =>
    Array.from({ length: count }, () => ({
      sender: contract,
      urls: ["https://gateway.example"],
      data: "0x01" as Hex,
    }));

  test("whose answers are too large in total is a failure", async () => {
    const large: Hex = `0x${"ab".repeat(130_000)}`;
    const many = lookUps(40);
    const { result, calls } = await run(
      [batch(many), done],
      answering(() => large),
    );
    expect(result).toMatchObject({ message: expect.stringContaining(`${MAX_EXCHANGED_BYTES} bytes in all`) });
    expect(calls).toHaveLength(1);
  });

  test("whose answers are too large for a call is a failure", async () => {
    const large: Hex = `0x${"ab".repeat(250_000)}`;
    const many = lookUps(5);
    const { result, calls } = await run(
      [batch(many), done],
      answering(() => large),
    );
    expect(result).toMatchObject({ message: expect.stringContaining("the most that a call may hold") });
    expect(calls).toHaveLength(1);
  });
});
