import type { Address, TransactionReceipt } from "viem";
import type { Call, Chain } from "./chain.ts";
import { addressOf, encodeCall, send } from "./chain.ts";

/**
 * Sends several calls in one transaction through Multicall3: they all succeed or all revert, and each contract
 * sees Multicall3 as the caller. The `from` of the single calls does not count.
 */
export async function sendThroughMulticall(
  chain: Chain,
  { from, calls }: { from: Address; calls: readonly Call[] },
): Promise<TransactionReceipt> {
  const args = calls.map((call) => ({
    target: addressOf(chain, call.contract),
    allowFailure: false,
    value: call.value ?? 0n,
    callData: encodeCall(chain, call),
  }));
  const value = args.reduce((sum, call) => sum + call.value, 0n);
  return send(chain, { from, contract: "multicall3", functionName: "aggregate3Value", args: [args], value });
}
