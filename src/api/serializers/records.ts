import { type Hex, size } from "viem";
import type { z } from "zod";
import type { LiveRecords } from "../live/records.ts";
import type { AddressValue, TextRow, TextStep, TextValue } from "../query/records.ts";
import type * as schemas from "../schemas/answers.ts";
import { exactTexts } from "./event.ts";
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

/** Address records by coin type. Resolvers give the zero address for an EVM address that was cleared. */
export const toAddresses = (rows: AddressValue[]): Record<string, Hex> =>
  Object.fromEntries(
    rows
      .map(({ coinType, address }) => [coinType, toAddressRecord(address, BigInt(coinType))] as const)
      .filter(([, address]) => !(size(address) === 20 && /^0x0+$/.test(address))),
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

/**
 * How a text record went, newest first, from the changes of the name's resolver and the log of the resolvers that are
 * to be believed, oldest first. A log counts if its emitter was the name's resolver at that moment. A new resolver, and
 * a clearing of all records, end the value that was there; before the first value there is none to end.
 */
export function toTextHistory(steps: readonly TextStep[], key: string): HistoryEntry[] {
  const history: HistoryEntry[] = [];
  let active: Hex | null = null;
  for (const step of steps) {
    const { eventType, resolver, blockNumber } = step;
    if (eventType === null) {
      active = resolver;
      if (history.length > 0) {
        history.push({ value: null, block_number: blockNumber, source: "resolver_change" });
      }
    } else if (resolver !== null && resolver === active) {
      const { key: ofKey, value } = exactTexts({ ...step, name: null });
      const counts = eventType === "VersionChanged" ? history.length > 0 : ofKey === key;
      if (counts) history.push(toHistoryEntry({ ...step, value, resolver }));
    }
  }
  return history.reverse();
}

function toHistoryEntry(step: TextStep & { resolver: Hex }): HistoryEntry {
  return {
    value: step.value || null, // An empty text is none.
    ...(step.valueSource === "unknown" && { value_known: false as const }),
    block_number: step.blockNumber,
    source: "indexed",
    resolver: toAddress(step.resolver),
    transaction_hash: step.transactionHash,
  };
}
