import type { Address, TransactionReceipt } from "viem";
import { parseAbi } from "viem";
import type { Call, Chain } from "./chain.ts";
import { addressOf, encodeCall, send } from "./chain.ts";

/** The one function of Multicall3 that the acts use; viem's own ABI of it leaves it out. */
const multicallAbi = parseAbi([
  "struct Call3Value { address target; bool allowFailure; uint256 value; bytes callData; }",
  "struct Result { bool success; bytes returnData; }",
  "function aggregate3Value(Call3Value[] calls) payable returns (Result[] returnData)",
]);

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
  const multicall3 = { address: addressOf(chain, "multicall3"), abi: multicallAbi };
  const withMulticall = { ...chain, contracts: { ...chain.contracts, multicall3 } };
  return send(withMulticall, {
    from,
    contract: "multicall3",
    functionName: "aggregate3Value",
    args: [args],
    value,
  });
}
