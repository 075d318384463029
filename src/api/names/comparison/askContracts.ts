import { setTimeout as sleep } from "node:timers/promises";
import type { Address } from "viem";
import { LiveFailure } from "../live/failure.ts";
import { type CallAnswer, type ContractCall, callTogether } from "../live/multicall.ts";
import type { Rpc } from "../live/rpc.ts";
import { type Check, NotComparable } from "./check.ts";

/** Calls of one call of Multicall3. A node gives each `eth_call` its gas: more would not fit where texts are long. */
const CALLS_AT_ONCE = 250;
/** Requests under way at the same time. The rate is bounded by the settings. */
const REQUESTS_AT_ONCE = 4;
/** A node that fails so often, without one answer between, is not asked any more. */
const MAX_FAILURES = 8;
const PAUSE_MS = 500;

export type Answered = { check: Check; chain: string | null | NotComparable };

export type ContractsPlan = {
  rpc: Rpc;
  multicall3: Address;
  blockNumber: number;
  signal: AbortSignal;
  /** Hears of each part that was answered. */
  onAnswers: (answers: Answered[]) => void;
};

type State = ContractsPlan & { failures: number };

/**
 * Asks the contracts for each check, many at a time. Where a call of many fails, its halves are asked: one of its answers
 * may be too large, or need too much gas.
 *
 * @throws LiveFailure where no node answers
 */
export async function askContracts(checks: readonly Check[], plan: ContractsPlan): Promise<void> {
  const state: State = { ...plan, failures: 0 };
  const parts = partsOf(checks);
  const work = async () => {
    for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
      plan.onAnswers(await answerChecks(state, part));
    }
  };
  await Promise.all(Array.from({ length: REQUESTS_AT_ONCE }, work));
}

const keyOf = ({ target, callData }: ContractCall): string => target + callData;

/** Several checks may rest on one call, which is made once. */
async function answerChecks(state: State, checks: readonly Check[]): Promise<Answered[]> {
  const calls = new Map(checks.flatMap((check) => check.calls.map((call) => [keyOf(call), call])));
  const given = await answer(state, [...calls.values()]);
  const answers = new Map([...calls.keys()].map((key, index) => [key, given[index]]));
  return checks.map((check) => {
    const own = check.calls.map((call) => answers.get(keyOf(call)));
    const refused = own.find((one) => one instanceof NotComparable);
    return { check, chain: refused ?? check.read(own as CallAnswer[]) };
  });
}

function partsOf(checks: readonly Check[]): Check[][] {
  const parts: Check[][] = [];
  let calls = CALLS_AT_ONCE;
  for (const check of checks) {
    if (calls + check.calls.length > CALLS_AT_ONCE) {
      parts.push([]);
      calls = 0;
    }
    parts.at(-1)?.push(check);
    calls += check.calls.length;
  }
  return parts;
}

type CallResult = CallAnswer | NotComparable;

/** Answers in the order of the calls. */
async function answer(state: State, calls: readonly ContractCall[]): Promise<CallResult[]> {
  const [first] = calls;
  if (first === undefined) return [];
  if (calls.length === 1) return [await callOne(state, first)];
  const answers = await callMany(state, calls);
  if (answers !== null) return [...answers];
  const middle = Math.ceil(calls.length / 2);
  return [...(await answer(state, calls.slice(0, middle))), ...(await answer(state, calls.slice(middle)))];
}

/** Null where it failed: fewer calls may not. */
async function callMany(state: State, calls: readonly ContractCall[]): Promise<readonly CallAnswer[] | null> {
  const answers = await attempt(state, () => callTogether(state, { calls, blockNumber: state.blockNumber }));
  return answers instanceof LiveFailure ? null : answers;
}

async function callOne(state: State, { target, callData }: ContractCall): Promise<CallResult> {
  const { rpc, blockNumber, signal } = state;
  for (;;) {
    const result = await attempt(state, () => rpc.call({ to: target, data: callData, blockNumber }, signal));
    if (!(result instanceof LiveFailure)) {
      return { success: result.ok, returnData: result.ok ? result.data : result.revert };
    }
    if (result.step === "resolver")
      return new NotComparable("a contract's answer, or the call, is too large");
  }
}

/** Gives a failure back, so that it can be tried otherwise. @throws LiveFailure when nodes failed too often */
async function attempt<Result>(state: State, ask: () => Promise<Result>): Promise<Result | LiveFailure> {
  try {
    const result = await ask();
    state.failures = 0;
    return result;
  } catch (error) {
    state.signal.throwIfAborted();
    if (!(error instanceof LiveFailure)) throw error;
    if (error.step === "resolver") return error;
    state.failures += 1;
    if (state.failures >= MAX_FAILURES) throw error;
    await sleep(PAUSE_MS, undefined, { signal: state.signal });
    return error;
  }
}
