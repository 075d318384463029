import { decodeAbiParameters, type Hex, parseAbiParameters, toFunctionSelector } from "viem";
import { textOfBytes } from "./utf8.ts";

const SET_TEXT = toFunctionSelector("setText(bytes32,string,string)");
const MULTICALL = toFunctionSelector("multicall(bytes[])");
const CHECKED_MULTICALL = toFunctionSelector("multicallWithNodeCheck(bytes32,bytes[])");

/** Texts are taken as bytes, which have the same encoding. */
const setTextParameters = parseAbiParameters("bytes32 node, bytes key, bytes value");
const multicallParameters = parseAbiParameters("bytes[] data");
const checkedMulticallParameters = parseAbiParameters("bytes32 node, bytes[] data");

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

type Call = { hash: Hex; to: Hex | null; input: Hex };
type TextSet = { resolver: Hex; node: Hex; key: string; earlierSets: number };

/** The value that a transaction gave a text; undefined unless it called the resolver directly. */
export const writtenText = (call: Call, { resolver, node, key, earlierSets }: TextSet): string | undefined =>
  call.to === resolver
    ? textWritesIn(call).filter((write) => write.node === node && write.key === key)[earlierSets]?.value
    : undefined;

/**
 * All settings of text records in a call to a resolver, in their order, those inside the resolver's multicalls too.
 * Any other call has none.
 */
export function textWritesOf(input: Hex): TextWrite[] {
  try {
    return decodeWrites(input.slice(0, 10), `0x${input.slice(10)}`);
  } catch {
    return [];
  }
}

function decodeWrites(selector: string, data: Hex): TextWrite[] {
  if (selector === SET_TEXT) {
    const [node, key, value] = decodeAbiParameters(setTextParameters, data);
    return [{ node, key: textOfBytes(key), value: textOfBytes(value) }];
  }
  if (selector === MULTICALL) return decodeAbiParameters(multicallParameters, data)[0].flatMap(textWritesOf);
  if (selector !== CHECKED_MULTICALL) return [];
  return decodeAbiParameters(checkedMulticallParameters, data)[1].flatMap(textWritesOf);
}
