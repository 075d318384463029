import { decodeFunctionData, type Hex, parseAbi } from "viem";

const textWritesAbi = parseAbi([
  "function setText(bytes32 node, string key, string value)",
  "function multicall(bytes[] data) returns (bytes[] results)",
  "function multicallWithNodeCheck(bytes32 node, bytes[] data) returns (bytes[] results)",
]);

/** One setting of a text record as it stands in calldata. */
type TextWrite = { node: Hex; key: string; value: string };

/**
 * All settings of text records in a call to a resolver, in their order; a resolver's multicalls are looked into.
 * Calls that are anything else count as none.
 */
export function textWritesOf(input: Hex): TextWrite[] {
  const call = decodeCall(input);
  if (call === null) return [];
  if (call.functionName === "setText") {
    const [node, key, value] = call.args;
    return [{ node, key, value }];
  }
  return (call.functionName === "multicall" ? call.args[0] : call.args[1]).flatMap(textWritesOf);
}

function decodeCall(data: Hex) {
  try {
    return decodeFunctionData({ abi: textWritesAbi, data });
  } catch {
    return null;
  }
}
