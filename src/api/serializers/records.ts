import type { Hex } from "viem";
import type { z } from "zod";
import type { LiveRecords } from "../live/records.ts";
import type { AddressValue, TextRow, TextValue } from "../query/records.ts";
import type { TextStep } from "../query/textHistory.ts";
import type * as schemas from "../schemas/answers.ts";
import { truncatedOf } from "./cut.ts";
import { shownText } from "./event.ts";
import { toAddress, toAddressRecord } from "./hex.ts";

/** Key and value as they were set; those with NUL stand in `exact`. */
export function exactText({ key, value, exact }: Pick<TextRow, "key" | "value" | "exact">): {
  key: string;
  value: string | null;
} {
  return exact === null ? { key, value } : (JSON.parse(exact) as { key: string; value: string | null });
}

/** Text records by key. */
export const toTexts = (rows: TextValue[]): Record<string, string> =>
  Object.fromEntries(rows.map(exactText).flatMap(({ key, value }) => (value === null ? [] : [[key, value]])));

/** Address records by coin type. */
export const toAddresses = (rows: AddressValue[]): Record<string, Hex> =>
  Object.fromEntries(
    rows.map(({ coinType, address }) => [coinType, toAddressRecord(address, BigInt(coinType))] as const),
  );

/** Records as the chain gave them; those that it does not have are left out. */
export const toLiveRecords = ({ texts, addresses, contenthash }: LiveRecords) => ({
  texts: Object.fromEntries(texts.flatMap(({ key, value }) => (value === null ? [] : [[key, value]]))),
  addresses: Object.fromEntries(
    addresses.flatMap(({ coinType, address }) =>
      address === null ? [] : [[coinType, toAddressRecord(address, BigInt(coinType))]],
    ),
  ),
  contenthash,
});

type HistoryEntry = z.infer<typeof schemas.textHistoryEntry>;

/** A step in the history of a text. */
export function toTextHistoryEntry(step: TextStep): HistoryEntry {
  const { blockNumber, resolver, transactionHash } = step;
  if (resolver === null || transactionHash === null) {
    return { value: null, block_number: blockNumber, source: "resolver_change" };
  }
  const value = shownText(step.value, step.hiddenValue);
  return {
    value: value?.shown || null, // An empty text is none.
    ...(step.valueSource === "unknown" && { value_known: false as const }),
    block_number: blockNumber,
    source: "indexed",
    resolver: toAddress(resolver),
    transaction_hash: transactionHash,
    ...truncatedOf({ value }),
  };
}
