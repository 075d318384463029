import type { Hex } from "viem";
import type { Ctx } from "../../server/http/context.ts";
import { listOtherEvents } from "../query/otherRecords.ts";
import { type BatchAddress, type BatchRecords, FIRST_COIN, listRecords } from "../query/recordBatches.ts";
import { findCleared, findRecords, MAX_READ_BYTES, type TextValue } from "../query/records.ts";
import type { RecordsAsked, RecordType } from "../schemas/recordChoice.ts";
import { hasDefaultAddress } from "./addressesOfNames.ts";
import type { RecordsKey } from "./ensv2/records.ts";
import { noOtherRecords, type OtherRecords, otherRecordsOf } from "./otherRecords.ts";

/** The records of a name by the index: also those that were cleared, if they are asked for or keys are chosen. */
export type IndexedRecords = {
  texts: readonly TextValue[];
  addresses: readonly IndexedAddress[];
  contenthash: Hex | null;
  name: string | null;
  other: OtherRecords;
};

/** An address record: as it is stored, or the default address that the resolver answers as there is none. */
export type IndexedAddress = Pick<BatchAddress, "coinType" | "address"> &
  Partial<Pick<BatchAddress, "isSet" | "default">>;

/** Of a name that is known to have none. */
export const noRecords: IndexedRecords = {
  texts: [],
  addresses: [],
  contenthash: null,
  name: null,
  other: noOtherRecords,
};

const otherTypes: readonly RecordType[] = ["abi", "interface", "pubkey"];

/** Whether records are asked for that have no column. */
export const asksOther = ({ types }: RecordsAsked): boolean =>
  types.some((type) => otherTypes.includes(type));

/** The records of a node that are asked for; `key` null: it has none. */
export async function readRecords(
  { db, contracts }: Ctx,
  { node, key }: { node: Hex; key: RecordsKey | null },
  asked: RecordsAsked,
): Promise<IndexedRecords> {
  if (key === null) return noRecords;
  const [all, cleared, chosen, [events = []]] = await Promise.all([
    findRecords(db, key),
    asked.cleared ? findCleared(db, key) : { texts: [], addresses: [] },
    readChosen(db, { ...key, hasDefault: hasDefaultAddress(node, key, contracts) }, asked),
    asksOther(asked) ? listOtherEvents(db, [key]) : [],
  ]);
  const clearedTexts = cleared.texts.map((one) => ({ ...one, value: null, isValueKnown: true }));
  const clearedAddresses = cleared.addresses.map((coinType) => ({ coinType, address: null }));
  return {
    texts: asked.keys ? chosen.texts : [...all.texts, ...clearedTexts],
    addresses: asked.coinTypes ? chosen.addresses : [...all.addresses, ...clearedAddresses],
    contenthash: all.contenthash,
    name: all.name,
    other: otherRecordsOf(events),
  };
}

/** The texts and addresses that are chosen. All others are found with `findRecords`. */
async function readChosen(
  db: Ctx["db"],
  key: RecordsKey & { hasDefault: boolean },
  { keys, coinTypes }: RecordsAsked,
): Promise<Pick<BatchRecords, "texts" | "addresses">> {
  if (keys === undefined && coinTypes === undefined) return { texts: [], addresses: [] };
  const choice = { texts: keys ?? "none", addresses: coinTypes?.map(String) ?? "none" } as const;
  const wanted = { ...key, textsAfter: "", addressesAfter: FIRST_COIN } as const;
  const [found] = await listRecords(db, [wanted], { ...choice, bytes: MAX_READ_BYTES });
  return found ?? { texts: [], addresses: [] };
}

/** Keys of the texts that are asked for whose values only the chain knows. */
export const unknownTextsOf = (
  { texts }: Pick<IndexedRecords, "texts">,
  { types }: Pick<RecordsAsked, "types">,
): string[] =>
  types.includes("text") ? texts.filter(({ isValueKnown }) => !isValueKnown).map(exactKeyOf) : [];

const exactKeyOf = ({ key, exact }: TextValue): string =>
  exact === null ? key : (JSON.parse(exact) as { key: string }).key;
