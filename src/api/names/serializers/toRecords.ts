import type { Hex } from "viem";
import type { z } from "zod";
import type { LiveRecords } from "../live/liveRecords.ts";
import type { TextRow, TextValue } from "../query/records.ts";
import type { RestoredText, TextStep } from "../query/textHistory.ts";
import type { IndexedAddress, IndexedRecords, NameRecords } from "../resolution/indexedRecords.ts";
import type * as schemas from "../schemas/answers.ts";
import type { RecordsAsked, RecordType } from "../schemas/recordChoice.ts";
import { truncatedOf } from "./cut.ts";
import { toAddress, toAddressRecord } from "./hex.ts";
import { partsOfRecords, unresolvedParts } from "./toDomain.ts";
import { shownText } from "./toEvent.ts";

type RecordsReply = z.infer<typeof schemas.records>;

/** Key and value as they were set. If they contain NUL, they are read from `exact`. */
export function exactText({ key, value, exact }: Pick<TextRow, "key" | "value" | "exact">): {
  key: string;
  value: string | null;
} {
  return exact === null ? { key, value } : (JSON.parse(exact) as { key: string; value: string | null });
}

/** Text records by key. */
const toTexts = (rows: readonly TextValue[]): Record<string, string> =>
  Object.fromEntries(rows.map(exactText).flatMap(({ key, value }) => (value === null ? [] : [[key, value]])));

/** Address records by coin type. */
const toAddresses = (
  rows: readonly Pick<IndexedAddress, "coinType" | "address" | "default">[],
): Record<string, Hex> =>
  Object.fromEntries(
    rows.flatMap(({ coinType, address, default: byDefault = null }) => {
      const answered = address ?? byDefault;
      return answered === null ? [] : [[coinType, toAddressRecord(answered, BigInt(coinType))] as const];
    }),
  );

/** Which of the addresses come from the default record. */
function toDefaults(rows: IndexedRecords["addresses"]): Pick<RecordsReply, "is_default"> {
  const derived = rows.filter((row) => row.address === null && row.default);
  if (derived.length === 0) return {};
  return { is_default: Object.fromEntries(derived.map(({ coinType }) => [coinType, true as const])) };
}

/** The requested records, from the index. */
function toIndexedRecords(
  { texts, addresses, contenthash, name, other }: IndexedRecords,
  asked: RecordsAsked,
): RecordsReply {
  const has = (type: RecordType) => asked.types.includes(type);
  return {
    texts: has("text") ? toTexts(texts) : {},
    addresses: has("addr") ? toAddresses(addresses) : {},
    ...(has("addr") && toDefaults(addresses)),
    ...(has("contenthash") && { contenthash }),
    ...(has("abi") && { abi_types: other.abiTypes }),
    ...(has("interface") && { interfaces: toInterfaces(other) }),
    ...(has("pubkey") && { public_key: other.publicKey }),
    ...(has("name") && { name }),
    ...(!other.isComplete && { is_incomplete: true as const }),
    ...(asked.cleared && toCleared({ texts, addresses }, asked)),
  };
}

const toInterfaces = ({ interfaces }: IndexedRecords["other"]) =>
  Object.fromEntries(interfaces.map(({ id, implementer }) => [id, toAddress(implementer)]));

const isStored = ({ isSet = true }: IndexedAddress): boolean => isSet;

/** Records that were set and cleared and, among those the caller selected, records that were never set. */
function toCleared(
  { texts, addresses }: Pick<IndexedRecords, "texts" | "addresses">,
  { types, keys, coinTypes }: RecordsAsked,
) {
  const [ofTexts, ofAddresses] = [types.includes("text"), types.includes("addr")];
  const named = texts.map((text) => ({ ...exactText(text), isValueKnown: text.isValueKnown }));
  const gone = named.filter(({ value, isValueKnown }) => value === null && isValueKnown);
  const cleared = {
    texts: ofTexts ? gone.map(({ key }) => key) : [],
    addresses: ofAddresses
      ? addresses.filter(isStored).flatMap(({ address, coinType }) => (address === null ? [coinType] : []))
      : [],
  };
  if (keys === undefined && coinTypes === undefined) return { cleared };
  const known = {
    texts: new Set(named.map(({ key }) => key)),
    coins: new Set(addresses.filter(isStored).map(({ coinType }) => coinType)),
  };
  const never_set = {
    texts: ofTexts ? (keys ?? []).filter((key) => !known.texts.has(key)) : [],
    addresses: ofAddresses
      ? (coinTypes ?? []).map(String).filter((coinType) => !known.coins.has(coinType))
      : [],
  };
  return { cleared, never_set };
}

/** The records in an answer, and the parts that could not be determined. */
export function toRecordsPart(
  { result, indexed, unknownTexts }: NameRecords,
  asked: RecordsAsked,
): { records?: RecordsReply; unresolved?: z.infer<typeof schemas.unresolved> } {
  const records =
    result.source === "live"
      ? toAskedLiveRecords(result.records, asked)
      : indexed && toIndexedRecords(indexed, asked);
  if (result.kind !== "unresolved") return records ? { records } : {};
  if (!records) return { unresolved: unresolvedParts(partsOfRecords(result.state, "records"), result.error) };
  const parts = unresolvedParts(["records.texts"], result.error);
  return { records, unresolved: parts.map((part) => ({ ...part, keys: unknownTexts })) };
}

/** The requested records, from the chain. Values read for other parts of the answer are left out, as are absent ones. */
function toAskedLiveRecords(live: LiveRecords, { types, keys, coinTypes }: RecordsAsked): RecordsReply {
  const coins = coinTypes?.map(String);
  const texts = live.texts.flatMap(({ key, value }) =>
    value === null || keys?.includes(key) === false ? [] : [[key, value] as const],
  );
  const addresses = live.addresses.filter(({ coinType }) => coins?.includes(coinType) !== false);
  return {
    texts: types.includes("text") ? Object.fromEntries(texts) : {},
    addresses: types.includes("addr") ? toAddresses(addresses) : {},
    ...(types.includes("contenthash") && { contenthash: live.contenthash }),
  };
}

type HistoryEntry = z.infer<typeof schemas.textHistoryEntry>;

/** The text that the name's new resolver already held; null if it was empty. */
function toRestored(restored: RestoredText): HistoryEntry["restored"] | null {
  const { blockNumber, transactionHash, valueSource } = restored;
  const value = shownText(restored.value, restored.hiddenValue);
  const isUnknown = valueSource === "unknown";
  if (!value?.shown && !isUnknown) return null;
  return {
    value: value?.shown || null,
    ...(isUnknown && { value_known: false as const }),
    block_number: blockNumber,
    transaction_hash: transactionHash,
    ...truncatedOf({ value }),
  };
}

/** A step in the history of a text. */
export function toTextHistoryEntry(step: TextStep): HistoryEntry {
  const { blockNumber, resolver, transactionHash } = step;
  if (resolver === null || transactionHash === null) {
    const boundary = { value: null, block_number: blockNumber, source: "resolver_change" } as const;
    const restored = step.restored && toRestored(step.restored);
    return restored ? { ...boundary, restored } : boundary;
  }
  const value = shownText(step.value, step.hiddenValue);
  return {
    value: value?.shown || null, // An empty text counts as no text.
    ...(step.valueSource === "unknown" && { value_known: false as const }),
    block_number: blockNumber,
    source: "indexed",
    resolver: toAddress(resolver),
    transaction_hash: transactionHash,
    ...truncatedOf({ value }),
  };
}
