import {
  type Address,
  concat,
  decodeErrorResult,
  encodeFunctionData,
  type Hex,
  keccak256,
  size,
  stringToBytes,
  toFunctionSelector,
  toHex,
} from "viem";
import { resolverFunctions } from "../../../../abis/resolver.ts";
import { multicallAbi, universalResolverAbi } from "../../../../abis/universalResolver.ts";
import { ETHEREUM_COIN_TYPE, isEvmCoinType } from "../../../ens/coinType.ts";
import { MAX_LABEL_BYTES, MAX_NAME_BYTES } from "../../../ens/name.ts";
import { textOfBytes } from "../../../ens/utf8.ts";
import { sanitizeMessage } from "../../server/errors/foreignText.ts";
import type { Budget } from "./ccip/budget.ts";
import { callWithLookups, OWN_BATCH_GATEWAY } from "./ccip/ccip.ts";
import type { Gateways } from "./ccip/gatewayClient.ts";
import { LiveFailure } from "./failure.ts";
import { AbiError, readAbi } from "./liveAbi.ts";
import type { CallResult, Rpc } from "./rpc.ts";

/** A name to ask a resolver about: its node, and its text with unknown labels as `[<64 hex>]`. */
export type ResolvableName = { name: string; node: Hex };

/** The records to read. Text keys cannot be listed on chain, so the caller names them. */
export type RecordSelection = {
  /** SLIP-44 coin types, or those of EVM chains by ENSIP-11. */
  coinTypes: readonly bigint[];
  contenthash: boolean;
  texts: readonly string[];
  /** Texts with more bytes are left out as if absent, for callers that have no use for them. */
  longestText?: number;
};

/**
 * The largest value of a record. Images in texts (data URIs) that we measured had up to some 50 KB; storing one of 128 KiB on
 * chain takes about 90 million gas.
 */
export const MAX_VALUE_BYTES = 131_072;

/** Values of the requested records at the resolver; null for absent records. */
export type LiveRecords = {
  /** The resolver that answered: the name's own, or an ancestor's (ENSIP-10). Null if the name has none. */
  answeredBy: Address | null;
  addresses: { coinType: string; address: Hex | null }[];
  contenthash: Hex | null;
  texts: { key: string; value: string | null }[];
};

/** How to reach the chain: through the deployment's Universal Resolver, at one block, within the request's time limit. */
export type ResolverReach = {
  rpc: Rpc;
  gateways: Gateways;
  universalResolver: Address | undefined;
  blockNumber: number;
  budget: Budget;
};

/**
 * Resolves records of a name with one call of the Universal Resolver, and one more for each round of off-chain look-ups. A name
 * without a resolver has no records: that is an answer.
 *
 * @throws LiveFailure when any of the requested records could not be read
 */
export async function resolveRecords(
  reach: ResolverReach,
  { name, wanted }: { name: ResolvableName; wanted: RecordSelection },
): Promise<LiveRecords> {
  const reads = readsOf(name.node, wanted);
  const multicall = encodeFunctionData({ abi: multicallAbi, functionName: "multicall", args: [reads] });
  const data = encodeFunctionData({
    abi: universalResolverAbi,
    functionName: "resolveWithGateways",
    args: [encodeDnsName(name.name), multicall, [OWN_BATCH_GATEWAY]],
  });
  const to = requireUniversalResolver(reach.universalResolver);
  const result = await callWithLookups(reach, { to, data, blockNumber: reach.blockNumber });
  const { resolver, items } = readResolved(result, reads.length);
  const itemAt = (index: number): Hex => {
    const item = items === null ? "0x" : items[index];
    if (item === undefined) throw unreadable();
    return item;
  };
  const { coinTypes, contenthash, texts, longestText } = wanted;
  const firstText = coinTypes.length + Number(contenthash);
  return {
    answeredBy: resolver,
    addresses: coinTypes.map((coinType, i) => ({
      coinType: coinType.toString(),
      address: readAddress(itemAt(i), coinType),
    })),
    contenthash: contenthash ? nullIfEmpty(readBytes(itemAt(coinTypes.length), "contenthash")) : null,
    texts: texts.map((key, i) => ({ key, value: readText(itemAt(firstText + i), key, longestText) })),
  };
}

/** Errors that mean "there is no primary name". Every other error of the Universal Resolver is a failure. */
const noName = [
  "ResolverNotFound",
  "ResolverNotContract",
  "ReverseAddressMismatch",
  "UnsupportedResolverProfile",
  "UnreachableName",
];

/**
 * The name that an address claims by its reverse record, if that name resolves to the address (ENSIP-19); null if it claims none,
 * or another address's name. Does not check whether the name is normalised.
 *
 * @throws LiveFailure
 */
export async function readPrimaryName(
  reach: ResolverReach,
  { address, coinType }: { address: Address; coinType: bigint },
): Promise<string | null> {
  const data = encodeFunctionData({
    abi: universalResolverAbi,
    functionName: "reverseWithGateways",
    args: [address, coinType, [OWN_BATCH_GATEWAY]],
  });
  const to = requireUniversalResolver(reach.universalResolver);
  const result = await callWithLookups(reach, { to, data, blockNumber: reach.blockNumber });
  if (!result.ok) {
    const { errorName, failure } = readRevert(result.revert);
    if (errorName !== null && noName.includes(errorName)) return null;
    throw failure;
  }
  const [name] = readable(() => readAbi(["bytes", "word", "word"], result.data), reverseUnreadable);
  // Nobody can look up a longer name.
  return name === "0x" || size(name) > MAX_NAME_BYTES ? null : textOfBytes(name);
}

/** The Universal Resolver of the deployment. @throws LiveFailure if it has none */
function requireUniversalResolver(address: Address | undefined): Address {
  if (address !== undefined) return address;
  throw new LiveFailure(
    "resolver",
    "This deployment has no Universal Resolver, so nothing can be resolved on chain.",
  );
}

/** A name in DNS wire format. A label that is too long is written as its hash, `[<64 hex>]`. Source: RFC 1035, 3.1. */
export function encodeDnsName(name: string): Hex {
  const labels = name === "" ? [] : name.split(".");
  const parts = labels.flatMap((label) => {
    const bytes = stringToBytes(label);
    const fitting = bytes.length > MAX_LABEL_BYTES ? stringToBytes(`[${keccak256(bytes).slice(2)}]`) : bytes;
    return [new Uint8Array([fitting.length]), fitting];
  });
  return toHex(concat([...parts, new Uint8Array([0])]));
}

/** Reads of a resolver: addresses, contenthash, texts. */
function readsOf(node: Hex, { coinTypes, contenthash, texts }: RecordSelection): Hex[] {
  const abi = resolverFunctions;
  return [
    ...coinTypes.map((coinType) => {
      // Resolvers from before ENSIP-9 have only the function without a coin type, for Ethereum addresses.
      const args = coinType === ETHEREUM_COIN_TYPE ? ([node] as const) : ([node, coinType] as const);
      return encodeFunctionData({ abi, functionName: "addr", args });
    }),
    ...(contenthash ? [encodeFunctionData({ abi, functionName: "contenthash", args: [node] })] : []),
    ...texts.map((key) => encodeFunctionData({ abi, functionName: "text", args: [node, key] })),
  ];
}

const nullIfEmpty = (bytes: Hex | null): Hex | null => (bytes === "0x" ? null : bytes);

/** A record is cleared by setting it to the zero address. */
function readAddress(item: Hex, coinType: bigint): Hex | null {
  const isEthereum = coinType === ETHEREUM_COIN_TYPE;
  const what = `address of coin type ${coinType}`;
  const bytes = nullIfEmpty(isEthereum ? readEthereumAddress(item) : readBytes(item, what));
  if (bytes === null) return null;
  return isEvmCoinType(coinType) && /^0x0*$/.test(bytes) ? null : (bytes.toLowerCase() as Hex);
}

function readEthereumAddress(item: Hex): Hex | null {
  const [word] = readItem(item, ["word"]) ?? [];
  if (word === undefined) return null;
  // A word with more than 20 bytes is not an address; decoders would silently truncate it.
  if (!/^0x0{24}/.test(word)) throw unreadable();
  return `0x${word.slice(-40)}`;
}

function readText(item: Hex, key: string, longest = Number.POSITIVE_INFINITY): string | null {
  const [bytes = "0x"] = readItem(item, ["bytes"]) ?? [];
  if (size(bytes) > longest) return null;
  return textOfBytes(requireSize(bytes, `text record \`${sanitizeMessage(key)}\``)) || null;
}

function readBytes(item: Hex, what: string): Hex | null {
  const [bytes] = readItem(item, ["bytes"]) ?? [];
  return bytes === undefined ? null : requireSize(bytes, what);
}

function requireSize(bytes: Hex, what: string): Hex {
  if (size(bytes) <= MAX_VALUE_BYTES) return bytes;
  const message = `The ${what} is larger than ${MAX_VALUE_BYTES} bytes, the most that a live answer holds of one record.`;
  throw new LiveFailure("resolver", message);
}

/** One answer of the batch; null if the resolver does not support this kind of record. */
function readItem<const Kind extends "word" | "bytes">(item: Hex, shapes: readonly [Kind]): [Hex] | null {
  if (item === "0x") return null;
  // The Universal Resolver pads errors so that they cannot be mistaken for data.
  if (size(item) % 32 === 4) return requireUnsupported(item);
  return readable(() => readAbi(shapes as readonly ["bytes"], item));
}

/** Null if the error means that the resolver does not support this kind of record. @throws LiveFailure for every other error */
function requireUnsupported(error: Hex): null {
  const { errorName, failure } = readRevert(error);
  if (errorName !== "UnsupportedResolverProfile") throw failure;
  return null;
}

/** Errors that mean that no resolver answers for the name. */
const withoutResolver = ["ResolverNotFound", "ResolverNotContract", "UnreachableName"];

const UNREACHABLE = toFunctionSelector("UnreachableName(bytes)");

/** A resolver that forwards between ENSv1 and ENSv2 found no resolver on the other side. */
const isUnreachable = (item: Hex): boolean => size(item) % 32 === 4 && item.startsWith(UNREACHABLE);

const nothingFound: Resolved = { resolver: null, items: null };

type Resolved = { resolver: Address | null; items: readonly Hex[] | null };

function readResolved(result: CallResult, count: number): Resolved {
  if (!result.ok) {
    const { errorName, failure } = readRevert(result.revert);
    if (errorName !== null && withoutResolver.includes(errorName)) return nothingFound;
    throw failure;
  }
  if (result.data === "0x") {
    throw new LiveFailure("resolver", "There is no Universal Resolver at the deployment's address.");
  }
  const { data } = result;
  return readable(() => {
    const [batch, resolver] = readAbi(["bytes", "word"], data);
    const [items] = readAbi([{ list: "bytes", most: count }], batch);
    if (items.length > 0 && items.every(isUnreachable)) return nothingFound;
    return { resolver: `0x${resolver.slice(-40).toLowerCase()}`, items };
  });
}

function readable<T>(read: () => T, failure = unreadable): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof AbiError) throw failure();
    throw error;
  }
}

const unreadable = () => new LiveFailure("resolver", "The answer of the name's resolver cannot be decoded.");

const reverseUnreadable = () =>
  new LiveFailure("resolver", "The reverse resolver's answer cannot be decoded.");

/** Errors have a few words. Of a larger one, only the name is read, from its selector. */
const MAX_ERROR_BYTES = 4_096;

/** The name of an error from the Universal Resolver, or from a resolver behind it, and the failure it means. */
function readRevert(data: Hex): { errorName: string | null; failure: LiveFailure } {
  if (size(data) > MAX_ERROR_BYTES) return { errorName: nameOfLargeError(data), failure: reverted(data) };
  const decoded = tryDecode(data);
  if (decoded === null)
    return { errorName: null, failure: reverted(data === "0x" ? "without a reason" : data) };
  const { errorName, args } = decoded;
  if (errorName === "HttpError") {
    const failure = `A gateway of the name's resolver failed: ${sanitizeMessage(String(args[1]))}.`;
    return { errorName, failure: new LiveFailure("gateway", failure) };
  }
  if (errorName === "InvalidBatchGatewayResponse") {
    const failure = new LiveFailure("gateway", "The answers to the look-ups do not match the questions.");
    return { errorName, failure };
  }
  if (errorName === "ResolverError") {
    const inner = readRevert(args[0] as Hex);
    const isNone = inner.errorName === "UnreachableName";
    return { errorName: isNone ? inner.errorName : errorName, failure: inner.failure };
  }
  const reason = errorName === "Error" ? String(args[0]) : `${errorName}(${args.map(String).join(", ")})`;
  return { errorName, failure: reverted(reason) };
}

const reverted = (reason: string) =>
  new LiveFailure("resolver", `The name's resolver reverted: ${sanitizeMessage(reason)}.`);

function tryDecode(data: Hex): { errorName: string; args: readonly unknown[] } | null {
  if (data.length < 10) return null;
  try {
    const { errorName, args } = decodeErrorResult({ abi: universalResolverAbi, data });
    return { errorName, args: (args ?? []) as readonly unknown[] };
  } catch {
    return null;
  }
}

/** The name of a known error, from its selector alone. */
function nameOfLargeError(data: Hex): string | null {
  const found = universalResolverAbi.find((item) => {
    const types = item.inputs.map(({ type }) => type).join(",");
    return item.type === "error" && data.startsWith(toFunctionSelector(`${item.name}(${types})`));
  });
  return found?.name ?? null;
}
