import type { z } from "@hono/zod-openapi";
import type { Hex } from "viem";
import { ApiError } from "../../../server/errors/errors.ts";
import type { Ctx } from "../../../server/http/context.ts";
import { MAX_JSON_BYTES } from "../../../server/http/writeReply.ts";
import { mapYielding } from "../../../server/scheduling/turns.ts";
import { listOtherEvents } from "../../query/otherRecords.ts";
import {
  type BatchRecords,
  FIRST_COIN,
  listRecords,
  MAX_BYTES_OF_NAME,
  NAMES_OF_STATEMENT,
} from "../../query/recordBatches.ts";
import { hasDefaultAddress, listEthereumAddresses } from "../../resolution/addressesOfNames.ts";
import { type RecordsKey, recordsOf } from "../../resolution/ensv2/ensv2Records.ts";
import { asksOther, completeRecords, type NameRecords, noRecords } from "../../resolution/indexedRecords.ts";
import { selectorForRecord } from "../../resolution/recordSelection.ts";
import { type DomainResult, resolveNames } from "../../resolution/resolveDomains.ts";
import { otherRecordsOf } from "../../resolution/resolveOtherRecords.ts";
import { type PrimaryNameResult, resolvePrimaryNames } from "../../resolution/resolvePrimaryNames.ts";
import type { leftOut, lookedUpName } from "../../schemas/answers/lookupAnswer.ts";
import { type Rest, type Sought, writeCursor } from "../../schemas/lookup.ts";
import type { RecordsAsked } from "../../schemas/recordChoice.ts";
import { toAddress } from "../../serializers/hex.ts";
import { toAskedRecord, unresolvedParts } from "../../serializers/toDomain.ts";
import { toRecordsPart } from "../../serializers/toRecords.ts";

export type SoughtName = Extract<Sought, { kind: "name" }>;
export type NameItem = z.input<typeof lookedUpName> | z.input<typeof leftOut>;

/** The parts requested for each name besides its domain record. */
export type NameChoice = { records: RecordsAsked | null; primaryNameCheck: boolean };

/** What is known of a name before its item is built. */
type Answered = {
  name: SoughtName;
  outcome: DomainResult;
  records: FoundRecords | null;
  check: Check | null;
};

/** Records of a name, from the index or the chain, and what did not fit. */
type FoundRecords = NameRecords & RecordsRoom;

/** What did not fit in the answer. */
type RecordsRoom = {
  rest: Rest | null;
  /** Why none of them were read. */
  isLeftOut: LeftOut | null;
};

/** The answer was full, or one record exceeds what an answer gives for a name. */
type LeftOut = "no room" | "too large";

type Check = { address: Hex | null; primary: PrimaryNameResult | null };

/** Answers for names, in their order, with the same statements for all. */
export async function answerNames(
  ctx: Ctx,
  names: readonly SoughtName[],
  choice: NameChoice,
): Promise<NameItem[]> {
  const requested = names.map((name) => name.requested);
  const { records: asked } = choice;
  const select = asked === null ? null : selectorForRecord(ctx, asked, { address: choice.primaryNameCheck });
  const outcomes = await resolveNames(ctx, requested, { details: true, records: select ?? undefined });
  const found =
    asked !== null && select !== null
      ? await completeRecords(ctx, {
          names: requested,
          parts: await readIndexed(ctx, { names, outcomes, asked }),
          asked,
          select,
        })
      : null;
  const checks = choice.primaryNameCheck ? await checkPrimaryNames(ctx, outcomes) : null;
  return mapYielding(names, (name, i) =>
    toItem(ctx, asked, {
      name,
      outcome: outcomes[i] as DomainResult,
      records: found?.[i] ?? null,
      check: checks?.[i] ?? null,
    }),
  );
}

/** Indexed records, read until the answer is full. */
async function readIndexed(
  ctx: Ctx,
  {
    names,
    outcomes,
    asked,
  }: { names: readonly SoughtName[]; outcomes: readonly DomainResult[]; asked: RecordsAsked },
): Promise<Omit<FoundRecords, "unknownTexts">[]> {
  const wanted = outcomes.flatMap((outcome, i) => {
    const key = isOfIndex(outcome) && outcome.state ? recordsOf(outcome.state) : null;
    if (key === null || outcome.state === null) return [];
    const hasDefault = hasDefaultAddress(outcome.state.node, key, ctx.contracts);
    return [{ i, key: { ...key, hasDefault }, rest: names[i]?.rest ?? null }];
  });
  const read = new Map<number, RecordsRoom & Pick<NameRecords, "indexed">>();
  let room = MAX_JSON_BYTES;
  for (let from = 0; from < wanted.length; from += NAMES_OF_STATEMENT) {
    const some = wanted.slice(from, from + NAMES_OF_STATEMENT);
    const [batch, events] = await Promise.all([
      listRecords(ctx.db, some.map(toWanted), { ...choiceOf(asked), bytes: room }),
      asksOther(asked)
        ? listOtherEvents(
            ctx.db,
            some.map(({ key }) => key),
          )
        : [],
    ]);
    for (const [at, records] of batch.entries()) {
      const { i, rest } = some[at] as (typeof some)[number];
      const isLeftOut = isEmpty(records) ? (room > MAX_BYTES_OF_NAME ? "too large" : "no room") : null;
      room -= bytesOf(records);
      const { texts, addresses, contenthash, name } = records;
      const indexed = { texts, addresses, contenthash, name, other: otherRecordsOf(events[at] ?? []) };
      read.set(i, { indexed, rest: restOf(records, rest), isLeftOut });
    }
    room = Math.max(room, 0);
  }
  return outcomes.map((outcome, i) => {
    const found = read.get(i) ?? {
      indexed: isOfIndex(outcome) ? noRecords : null,
      rest: null,
      isLeftOut: null,
    };
    return { result: outcome, ...found };
  });
}

/** Whether records exist but none were read. */
const isEmpty = ({ texts, addresses, more }: BatchRecords): boolean =>
  (more.texts || more.addresses) && texts.length + addresses.length === 0;

const isOfIndex = ({ source, kind }: DomainResult): boolean =>
  source === "indexed" && kind !== "unresolved" && kind !== "resolverNotAsked";

const toWanted = ({ key, rest }: { key: RecordsKey & { hasDefault: boolean }; rest: Rest | null }) => ({
  ...key,
  textsAfter: (rest ? rest.textsAfter : "") as Hex | "" | null,
  addressesAfter: rest ? rest.addressesAfter : FIRST_COIN,
});

const choiceOf = ({ types, keys, coinTypes }: RecordsAsked) =>
  ({
    texts: types.includes("text") ? (keys ?? "all") : [],
    addresses: types.includes("addr") ? (coinTypes?.map(String) ?? "all") : [],
  }) as const;

const bytesOf = ({ texts, addresses, contenthash, name }: BatchRecords): number =>
  texts.reduce(
    (sum, { key, value, exact }) => sum + (exact?.length ?? key.length + (value?.length ?? 0)),
    0,
  ) +
  addresses.reduce((sum, { address }) => sum + (address?.length ?? 0), 0) +
  (contenthash?.length ?? 0) +
  (name?.length ?? 0);

/** Where to continue; null if nothing is left. */
function restOf({ texts, addresses, more }: BatchRecords, before: Rest | null): Rest | null {
  if (!more.texts && !more.addresses) return null;
  return {
    textsAfter: more.texts ? (texts.at(-1)?.keyHash ?? before?.textsAfter ?? "") : null,
    addressesAfter: more.addresses
      ? (addresses.at(-1)?.coinType ?? before?.addressesAfter ?? FIRST_COIN)
      : null,
  };
}

/** Primary names of the names' Ethereum addresses; null where the name could not be resolved. */
async function checkPrimaryNames(ctx: Ctx, outcomes: readonly DomainResult[]): Promise<(Check | null)[]> {
  const indexed = outcomes.flatMap((outcome) => (isOfIndex(outcome) && outcome.state ? [outcome.state] : []));
  const ofIndex = new Map(
    (await listEthereumAddresses(ctx, indexed)).map((address, i) => [indexed[i], address]),
  );
  const addresses = outcomes.map((outcome) => {
    if (outcome.source === "live") return liveAddressOf(outcome);
    if (!isOfIndex(outcome)) return undefined;
    return outcome.state ? (ofIndex.get(outcome.state) ?? null) : null;
  });
  const unique = [...new Set(addresses.flatMap((address) => address ?? []))];
  const primaries = await resolvePrimaryNames(
    ctx,
    unique.map((address) => ({ address })),
  );
  const primaryOf = new Map(unique.map((address, i) => [address, primaries[i] as PrimaryNameResult]));
  return addresses.map((address) =>
    address === undefined ? null : { address, primary: (address && primaryOf.get(address)) ?? null },
  );
}

const liveAddressOf = ({ records }: Extract<DomainResult, { source: "live" }>): Hex | null =>
  records.addresses.find(({ coinType }) => coinType === "60")?.address ?? null;

function toItem(ctx: Ctx, asked: RecordsAsked | null, { name, outcome, records, check }: Answered): NameItem {
  if (records?.isLeftOut) return toLeftOut(name.input, records.isLeftOut);
  const error = [outcome, records?.result].flatMap((one) =>
    one?.kind === "unresolved" ? [one.error] : [],
  )[0];
  const rest = asked && records?.rest;
  if (error?.code === "RESPONSE_TOO_LARGE") return toLeftOut(name.input, "no room");
  const status = statusOf({ outcome, error, isCut: Boolean(rest) });
  return {
    kind: "name",
    input: name.input,
    status,
    ...(error && { error: { code: error.code, message: error.message } }),
    domain: toAskedRecord(name.requested, outcome, ctx),
    ...(asked && records && toRecordsFields(records, asked)),
    ...(check && { primary_name_check: toCheck(check, outcome) }),
    ...(rest && { cursor: writeCursor(queryOf(name), rest, asked) }),
  } as NameItem;
}

/** An input that did not fit. The caller can send it again, unchanged, with fewer others. */
export const toLeftOut = (input: string, why: LeftOut): z.input<typeof leftOut> => ({
  kind: "left_out",
  input,
  status: "left_out",
  ...(why === "no room"
    ? { cursor: input }
    : {
        error: {
          code: "RESPONSE_TOO_LARGE",
          message: "One of the records does not fit into an answer about many names: request it by its key.",
        },
      }),
});

const queryOf = ({ requested }: SoughtName): string =>
  "name" in requested ? requested.name : requested.node;

function statusOf({
  outcome,
  error,
  isCut,
}: {
  outcome: DomainResult;
  error: ApiError | undefined;
  isCut: boolean;
}) {
  if (error) return "unresolved" as const;
  if (isCut) return "partial" as const;
  return outcome.state === null ? ("not_found" as const) : ("ok" as const);
}

function toRecordsFields(found: FoundRecords, asked: RecordsAsked) {
  const { records, unresolved } = toRecordsPart(found, asked);
  return {
    ...(records && { records }),
    ...((records || unresolved) && { records_source: found.result.source }),
    ...(unresolved && { unresolved }),
  };
}

function toCheck({ address, primary }: Check, { state }: DomainResult) {
  const shown = { address: address && toAddress(address) };
  if (primary instanceof ApiError)
    return { ...shown, unresolved: unresolvedParts(["primary_name"], primary) };
  const name = primary?.primary?.name ?? null;
  return { ...shown, primary_name: name, is_primary: name !== null && name === state?.fullName };
}
