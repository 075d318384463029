import { type Abi, type Address, decodeFunctionResult, encodeFunctionData, type Hex } from "viem";
import { LiveFailure } from "../failure.ts";
import { type ContractCall, type ContractReach, callTogether } from "../multicall.ts";

/** A call with what its answer means; null where the contract has no such function, or gives no answer that can be read. */
export type Read<Value> = { call: ContractCall; read: (data: Hex) => Value };

type Named = { target: Address; abi: Abi; name: string; args?: readonly unknown[] };

/** A read of one function. @param toValue takes what viem decodes */
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

/** The most bytes that an answer may have: the lists of an oracle have a few dozen entries. */
export const MAX_ANSWER = 16_384;

/** What the reads of a record say. */
export type Values<Reads> = {
  [Key in keyof Reads]: Reads[Key] extends Read<infer Value> ? Value | null : never;
};

/** Makes reads by one call at one block. @throws LiveFailure where no node answers, or Multicall3 is not there */
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

/** An oracle is chosen by the owners of the contracts: what it answers is not trusted to have any form. */
function valueIn<Value>(read: (data: Hex) => Value, data: Hex): Value | null {
  try {
    return read(data);
  } catch {
    return null;
  }
}
