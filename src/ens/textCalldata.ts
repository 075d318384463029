import { decodeFunctionData, type Hex, parseAbi, toFunctionSelector } from "viem";

const textWritesAbi = parseAbi([
  "function setText(bytes32 node, string key, string value)",
  "function multicall(bytes[] data) returns (bytes[] results)",
  "function multicallWithNodeCheck(bytes32 node, bytes[] data) returns (bytes[] results)",
]);

/** Most calls are other functions. viem throws for these, and that error takes longer than everything else here. */
const selectors = new Set<string>(textWritesAbi.map((item) => toFunctionSelector(item)));

/** One setting of a text record, as calldata has it. */
type TextWrite = { node: Hex; key: string; value: string };

let last: { hash: Hex; writes: TextWrite[] } | null = null;

/**
 * All settings of text records in a transaction. It is decoded once: each of its logs asks, one after the other, and
 * there can be as many logs as settings.
 */
export function textWritesIn({ hash, input }: { hash: Hex; input: Hex }): readonly TextWrite[] {
  if (last?.hash !== hash) last = { hash, writes: textWritesOf(input) };
  return last.writes;
}

/**
 * All settings of text records in a call to a resolver, in their order, those inside the resolver's multicalls too.
 * Any other call has none.
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
  if (!selectors.has(data.slice(0, 10))) return null;
  try {
    return decodeFunctionData({ abi: textWritesAbi, data });
  } catch {
    return null;
  }
}
