import type { Address, Hex } from "viem";
import { resolverFunctions } from "../../../../abis/resolver.ts";
import { contractCall } from "../live/multicall.ts";
import { addressIn, bytesIn, type Check, dataOf, NotComparable, textIn } from "./check.ts";
import type { RecordKey, StoredDomain, StoredRecord } from "./stored.ts";

/** A resolver that answers what its events said, as far as its generation matters here. */
export type ResolverSetting = {
  /** Knows the address of Ethereum alone, by `addr(node)`. */
  hasOneAddress: boolean;
  /** Answers a default address where none is stored (ENSIP-19), and marks it by `hasAddr`. */
  answersDefault: boolean;
};

const ETHEREUM = "60";

/** One record of one resolver, cleared ones and those never set too. */
export function recordCheck(record: StoredRecord, setting: ResolverSetting): Check {
  const { node, resolver, fullName, kind, isKnown } = record;
  const { column, table, detail, read, calls } = partsOf(record, setting);
  const name = fullName === null || fullName === "" ? node : `${fullName} (${node})`;
  return {
    table,
    column,
    kind,
    calls,
    stored: storedOf(record, setting),
    of: `${name}${detail} at the resolver ${resolver}`,
    read: isKnown ? read : () => new NotComparable("the value is in no log of the resolver"),
    path: `/lookup-namehash/${node}`,
  };
}

type Parts = Pick<Check, "table" | "column" | "read" | "calls"> & { detail: string };

function partsOf(record: StoredRecord, setting: ResolverSetting): Parts {
  const { resolver: target, node } = record;
  if (record.what === "address") return addressParts({ target, node, coinType: record.coinType }, setting);
  if (record.what === "text") {
    const { key } = record;
    const table = {
      table: "text_records",
      column: "value",
      detail: `, text ${JSON.stringify(key ?? record.keyHash)}`,
    };
    if (key === null)
      return { ...table, calls: [], read: () => new NotComparable("the text's key is not UTF-8") };
    const call = contractCall(target, { abi: resolverFunctions, functionName: "text", args: [node, key] });
    return { ...table, calls: [call], read: ([answer]) => textIn(answer) };
  }
  const column = record.what;
  const functionName = column === "version" ? "recordVersions" : column;
  const calls = [contractCall(target, { abi: resolverFunctions, functionName, args: [node] })];
  const reads: Record<typeof column, Check["read"]> = {
    contenthash: ([answer]) => bytesIn(answer),
    name: ([answer]) => textIn(answer),
    version: ([answer]) => BigInt(dataOf(answer) ?? "0x0").toString(),
  };
  return { table: "resolver_nodes", column, detail: "", calls, read: reads[column] };
}

/** Oldest resolvers answer the zero address for none, and the tables hold it where a log set it. */
function storedOf(record: StoredRecord, { hasOneAddress }: ResolverSetting): string | null {
  if (record.what === "address" && hasOneAddress && /^0x0*$/.test(record.value ?? "0x")) return null;
  return record.value;
}

type AddressRecord = { target: Address; node: Hex; coinType: string };

function addressParts({ target, node, coinType }: AddressRecord, setting: ResolverSetting): Parts {
  const parts = { table: "address_records", column: "address", detail: `, coin type ${coinType}` };
  if (setting.hasOneAddress) {
    if (coinType !== ETHEREUM) {
      return { ...parts, calls: [], read: () => new NotComparable("the resolver knows no other coin types") };
    }
    const calls = [contractCall(target, { abi: resolverFunctions, functionName: "addr", args: [node] })];
    return { ...parts, calls, read: ([answer]) => (dataOf(answer) === null ? null : addressIn(answer)) };
  }
  const args = [node, BigInt(coinType)] as const;
  const own = contractCall(target, { abi: resolverFunctions, functionName: "addr", args });
  if (!setting.answersDefault) return { ...parts, calls: [own], read: ([answer]) => bytesIn(answer) };
  const has = contractCall(target, { abi: resolverFunctions, functionName: "hasAddr", args });
  return {
    ...parts,
    calls: [own, has],
    read: ([answer, isOwn]) => (BigInt(dataOf(isOwn) ?? "0x1") === 0n ? null : bytesIn(answer)),
  };
}

/** Keys that many names have: asked of every name, so that a row that is missing is found. */
const COMMON_KEYS = ["avatar", "description", "email", "url", "com.github", "com.twitter"];

/** Records read from each name's resolver, whether the index has them or not. */
export function commonRecords(
  { node, kind, row }: StoredDomain,
  isIndexed: (resolver: Address) => boolean,
): RecordKey[] {
  const { resolver } = row;
  if (resolver === null || !isIndexed(resolver)) return [];
  const place = { resolver, node, kind };
  return [
    { ...place, what: "address", coinType: ETHEREUM },
    { ...place, what: "contenthash" },
    { ...place, what: "name" },
    { ...place, what: "version" },
    ...COMMON_KEYS.map((key): RecordKey => ({ ...place, what: "text", key, keyHash: null })),
  ];
}
