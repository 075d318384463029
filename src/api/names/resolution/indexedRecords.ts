import type { Hex } from "viem";
import type { Ctx } from "../../server/http/context.ts";
import { listOtherEvents } from "../query/otherRecords.ts";
import { type BatchAddress, type BatchRecords, FIRST_COIN, listRecords } from "../query/recordBatches.ts";
import { findRecords, MAX_READ_BYTES, type TextValue } from "../query/records.ts";
import type { RecordsAsked, RecordType } from "../schemas/recordChoice.ts";
import { hasDefaultAddress } from "./addressesOfNames.ts";
import type { RecordSelector } from "./chain.ts";
import type { RecordsKey } from "./ensv2/ensv2Records.ts";
import type { Requested } from "./indexedName.ts";
import { type DomainResult, resolveNames } from "./resolveDomains.ts";
import { noOtherRecords, type OtherRecords, otherRecordsOf } from "./resolveOtherRecords.ts";

/** The indexed records of a name. Cleared ones are included if requested, or if keys are selected. */
export type IndexedRecords = {
  texts: readonly TextValue[];
  addresses: readonly IndexedAddress[];
  contenthash: Hex | null;
  name: string | null;
  other: OtherRecords;
};

/** An address record: as stored, or the default address that the resolver returns without one. */
export type IndexedAddress = Pick<BatchAddress, "coinType" | "address"> &
  Partial<Pick<BatchAddress, "isSet" | "default">>;

/** A name without records. */
export const noRecords: IndexedRecords = {
  texts: [],
  addresses: [],
  contenthash: null,
  name: null,
  other: noOtherRecords,
};

const otherTypes: readonly RecordType[] = ["abi", "interface", "pubkey"];

/** True if records without a column are requested. */
export const asksOther = ({ types }: RecordsAsked): boolean =>
  types.some((type) => otherTypes.includes(type));

/** The requested records of a node. If `key` is null, it has none. */
export async function readRecords(
  { db, contracts }: Ctx,
  { node, key }: { node: Hex; key: RecordsKey | null },
  asked: RecordsAsked,
): Promise<IndexedRecords> {
  if (key === null) return noRecords;
  const [all, chosen, [events = []]] = await Promise.all([
    findRecords(db, { ...key, cleared: asked.cleared }),
    readChosen(db, { ...key, hasDefault: hasDefaultAddress(node, key, contracts) }, asked),
    asksOther(asked) ? listOtherEvents(db, [key]) : [],
  ]);
  return {
    texts: asked.keys ? chosen.texts : all.texts,
    addresses: asked.coinTypes ? chosen.addresses : all.addresses,
    contenthash: all.contenthash,
    name: all.name,
    other: otherRecordsOf(events),
  };
}

/** Reads the selected texts and addresses. Without a selection, `findRecords` reads all of them. */
async function readChosen(
  db: Ctx["db"],
  key: RecordsKey & { hasDefault: boolean },
  { keys, coinTypes }: RecordsAsked,
): Promise<Pick<BatchRecords, "texts" | "addresses">> {
  if (keys === undefined && coinTypes === undefined) return { texts: [], addresses: [] };
  const choice = { texts: keys ?? [], addresses: coinTypes?.map(String) ?? [] };
  const wanted = { ...key, textsAfter: "", addressesAfter: FIRST_COIN } as const;
  const [found] = await listRecords(db, [wanted], { ...choice, bytes: MAX_READ_BYTES });
  return found ?? { texts: [], addresses: [] };
}

/** Records of a name, read from the index or from the chain. */
export type NameRecords = {
  result: DomainResult;
  indexed: IndexedRecords | null;
  /** Keys of texts whose values only the chain knows. */
  unknownTexts: string[];
};

/** Reads from the chain what indexed records lack: values of texts that are in no log. */
export async function completeRecords<Part extends Pick<NameRecords, "result" | "indexed">>(
  ctx: Ctx,
  { names, parts, asked, select }: RecordParts<Part>,
): Promise<(Part & NameRecords)[]> {
  const unknown = parts.map(({ indexed }) => (indexed ? unknownTextsOf(indexed, asked) : []));
  const incomplete = names.filter((_, i) => unknown[i]?.length);
  const live = (await resolveNames(ctx, incomplete, { records: select, live: true })).values();
  return parts.map((part, i) => {
    const unknownTexts = unknown[i] ?? [];
    const result = unknownTexts.length > 0 ? (live.next().value as DomainResult) : part.result;
    return { ...part, result, unknownTexts };
  });
}

type RecordParts<Part> = {
  names: readonly Requested[];
  /** The records already read, one part per name. */
  parts: readonly Part[];
  asked: RecordsAsked;
  select: RecordSelector;
};

/** Keys of requested texts whose values only the chain knows. */
const unknownTextsOf = (
  { texts }: Pick<IndexedRecords, "texts">,
  { types }: Pick<RecordsAsked, "types">,
): string[] =>
  types.includes("text") ? texts.filter(({ isValueKnown }) => !isValueKnown).map(exactKeyOf) : [];

const exactKeyOf = ({ key, exact }: TextValue): string =>
  exact === null ? key : (JSON.parse(exact) as { key: string }).key;
