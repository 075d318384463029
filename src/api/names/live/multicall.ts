import {
  type Abi,
  type Address,
  type ContractFunctionName,
  type EncodeFunctionDataParameters,
  encodeFunctionData,
  type Hex,
  zeroAddress,
} from "viem";
import { multicall3Abi } from "../../../../abis/universalResolver.ts";
import { AbiError, readAbi } from "./liveAbi.ts";
import type { Rpc } from "./rpc.ts";

/** Requirements of contract calls: nodes, the contract that batches calls, and the time limit. */
export type ContractReach = { rpc: Rpc; multicall3: Address; signal: AbortSignal };

export type ContractCall = { target: Address; callData: Hex };

/** @example contractCall(registry, { abi: registryReads, functionName: "owner", args: [node] }) */
export const contractCall = <const Of extends Abi, Name extends ContractFunctionName<Of>>(
  target: Address,
  call: EncodeFunctionDataParameters<Of, Name>,
): ContractCall => ({ target, callData: encodeFunctionData(call) });

/** A contract's answer to one call of a batch. */
export type CallAnswer = { success: boolean; returnData: Hex };

/**
 * Batches many calls into one call of Multicall3, at one block. The answers are in the order of the calls; null if there is no
 * Multicall3 at this address.
 *
 * @throws LiveFailure when no node answers
 */
export async function callTogether(
  { rpc, multicall3, signal }: ContractReach,
  { calls, blockNumber }: { calls: readonly ContractCall[]; blockNumber: number },
): Promise<readonly CallAnswer[] | null> {
  const data = encodeFunctionData({
    abi: multicall3Abi,
    functionName: "aggregate3",
    args: [calls.map((call) => ({ ...call, allowFailure: true }))],
  });
  const result = await rpc.call({ to: multicall3, data, blockNumber }, signal);
  if (!result.ok) return null;
  try {
    const [answers] = readAbi([{ list: { struct: ["word", "bytes"] }, most: calls.length }], result.data);
    return answers.map(([success, returnData]) => ({ success: BigInt(success) !== 0n, returnData }));
  } catch (error) {
    if (error instanceof AbiError) return null;
    throw error;
  }
}

/** The address in a word of ABI data, in lower case; null for the zero address. */
export function addressInWord(word: Hex): Address | null {
  const address: Address = `0x${word.slice(-40).toLowerCase()}`;
  return address === zeroAddress ? null : address;
}
