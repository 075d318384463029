import { type Hex, size } from "viem";
import type { z } from "zod";
import type { LiveRecords } from "../live/records.ts";
import type { EventRow } from "../query/events.ts";
import type { AddressRow, ResolverChangeRow, TextRow } from "../query/records.ts";
import type * as shapes from "../shapes.ts";
import { exactTexts } from "./event.ts";
import { toAddress, toAddressRecord } from "./hex.ts";

/** Key and value as they were set; those with NUL stand in `exact`. */
export function exactText({ key, value, exact }: TextRow): { key: string; value: string | null } {
  return exact === null ? { key, value } : (JSON.parse(exact) as { key: string; value: string | null });
}

/** Text records by key. */
export const toTexts = (rows: TextRow[]): Record<string, string> =>
  Object.fromEntries(rows.map(exactText).flatMap(({ key, value }) => (value === null ? [] : [[key, value]])));

/** Address records by coin type. Resolvers give the zero address for an EVM address that was cleared. */
export const toAddresses = (rows: AddressRow[]): Record<string, Hex> =>
  Object.fromEntries(
    rows
      .map(
        ({ coinType, address }) => [coinType.toString(), toAddressRecord(address ?? "0x", coinType)] as const,
      )
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

type HistoryEntry = z.infer<typeof shapes.textHistoryEntry>;
type Place = { blockNumber: number; logIndex: number };

/**
 * How a text record went, newest first, from the changes of the name's resolver and the log of all resolvers, both
 * oldest first. A log counts if its emitter was the name's resolver at that moment. A new resolver, and a clearing of
 * all records, end the value that was there; before the first value there is none to end.
 */
export function toTextHistory({
  key,
  events,
  resolvers,
}: {
  key: string;
  events: EventRow[];
  resolvers: ResolverChangeRow[];
}): HistoryEntry[] {
  const ofKey = events.filter((row) => row.eventType === "VersionChanged" || exactTexts(row).key === key);
  const steps = [
    ...ofKey.map((row) => ({ row, isBoundary: false as const })),
    ...resolvers.map((row) => ({ row, isBoundary: true as const })),
  ].sort((a, b) => byPlace(a.row, b.row));
  const history: HistoryEntry[] = [];
  let active: Hex | null = null;
  for (const step of steps) {
    if (step.isBoundary) {
      active = step.row.resolver;
      if (history.length > 0) {
        history.push({ value: null, block_number: step.row.blockNumber, source: "resolver_change" });
      }
    } else if (step.row.contractAddress === active) {
      const isClearing = step.row.eventType === "VersionChanged";
      if (!isClearing || history.length > 0) history.push(toHistoryEntry(step.row));
    }
  }
  return history.reverse();
}

function toHistoryEntry(row: EventRow): HistoryEntry {
  return {
    value: exactTexts(row).value || null, // An empty text is none.
    ...(row.valueSource === "unknown" && { value_known: false as const }),
    block_number: row.blockNumber,
    source: "indexed",
    resolver: toAddress(row.contractAddress),
    transaction_hash: row.transactionHash,
  };
}

const byPlace = (a: Place, b: Place): number => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex;
