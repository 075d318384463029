import { type Abi, type Address, decodeFunctionResult, encodeFunctionData, type Hex } from "viem";
import { LiveFailure } from "../failure.ts";
import { type ContractCall, type ContractReach, callTogether } from "../multicall.ts";

/**
 * A call, and the decoder of its answer. The result is null if the contract has no such function, or its answer cannot be
 * decoded.
 */
export type Read<Value> = { call: ContractCall; read: (data: Hex) => Value };

type Named = { target: Address; abi: Abi; name: string; args?: readonly unknown[] };

/** A read of one function. @param toValue takes the value that viem decoded */
export const readOf = <Value>(
  { target, abi, name, args = [] }: Named,
  toValue: (decoded: unknown) => Value,
): Read<Value> => ({
  call: { target, callData: encodeFunctionData({ abi, functionName: name, args }) },
  read: (data) => toValue(decodeFunctionResult({ abi, functionName: name, data })),
});

export const asNumber = (decoded: unknown): bigint => BigInt(decoded as bigint);
export const asAddress = (decoded: unknown): Address => (decoded as Address).toLowerCase() as Address;
export const asFlag = (decoded: unknown): boolean => decoded === true;

/** Maximum bytes of an answer: an oracle's lists have a few dozen entries. */
export const MAX_ANSWER = 16_384;

/** The values of a record of reads. */
export type Values<Reads> = {
  [Key in keyof Reads]: Reads[Key] extends Read<infer Value> ? Value | null : never;
};

/** Makes reads in one call at one block. @throws LiveFailure if no node answers, or there is no Multicall3 */
export async function readTogether<Reads extends Record<string, Read<unknown>>>(
  reach: ContractReach,
  { reads, blockNumber }: { reads: Reads; blockNumber: number },
): Promise<Values<Reads>> {
  const entries = Object.entries(reads);
  const calls = entries.map(([, { call }]) => call);
  const answers = await callTogether(reach, { calls, blockNumber });
  if (answers === null)
    throw new LiveFailure("rpc", "Prices could not be read: Multicall3 did not answer as expected.");
  return Object.fromEntries(
    entries.map(([key, { read }], i) => {
      const answer = answers[i];
      const isAnswer = answer?.success === true && answer.returnData.length <= 2 * MAX_ANSWER;
      return [key, isAnswer ? valueIn(read, answer.returnData) : null];
    }),
  ) as Values<Reads>;
}

/** The contracts' owners choose the oracle, so its answers are not trusted to have any particular form. */
function valueIn<Value>(read: (data: Hex) => Value, data: Hex): Value | null {
  try {
    return read(data);
  } catch {
    return null;
  }
}
