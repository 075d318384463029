import type { z } from "@hono/zod-openapi";
import { ApiError } from "../../../server/errors/errors.ts";
import type { Ctx } from "../../../server/http/context.ts";
import { type PrimaryNameResult, resolvePrimaryNames } from "../../resolution/resolvePrimaryNames.ts";
import type { lookedUpAddress } from "../../schemas/answers/lookupAnswer.ts";
import type { Sought } from "../../schemas/lookup.ts";
import { toAddress } from "../../serializers/hex.ts";
import { toPrimaryName } from "../../serializers/toAddress.ts";
import { unresolvedParts } from "../../serializers/toDomain.ts";
import { addressDomains, readFirstPages } from "../addressNamesEndpoints.ts";
import { checkHeld, toHeldItems } from "../heldItems.ts";

export type SoughtAddress = Extract<Sought, { kind: "address" }>;
export type AddressItem = z.input<typeof lookedUpAddress>;

/** The parts requested for each address. */
export type AddressChoice = { coinTypes: readonly bigint[]; relations: readonly string[] };

/** Lists whose names are checked together: as many names as in a bulk request, before other requests get a turn. */
const LISTS_OF_BATCH = 20;

/** Answers for addresses, in their order. */
export async function answerAddresses(
  ctx: Ctx,
  { addresses, choice }: { addresses: readonly SoughtAddress[]; choice: AddressChoice },
): Promise<AddressItem[]> {
  const { coinTypes, relations } = choice;
  const asked = addresses.flatMap(({ address }) => coinTypes.map((coinType) => ({ address, coinType })));
  const queries = relations.map((relation) => addressDomains.query.parse({ address_type: relation }));
  const lists = addresses.flatMap(({ address }) =>
    relations.map(
      (relation, i): List => ({ relation, request: { ...queries[i], address } as List["request"] }),
    ),
  );
  const [outcomes, names] = await Promise.all([resolvePrimaryNames(ctx, asked), listNames(ctx, lists)]);
  return addresses.map((one, i) => {
    const ofAddress = outcomes.slice(i * coinTypes.length, (i + 1) * coinTypes.length);
    const failed = ofAddress.find((outcome) => outcome instanceof ApiError);
    return {
      kind: "address" as const,
      input: one.input,
      status: failed ? ("unresolved" as const) : ("ok" as const),
      ...(failed && { error: { code: failed.code, message: failed.message } }),
      address: toAddress(one.address),
      primary_names: ofAddress.map((outcome, at) => toEntry(ctx, String(coinTypes[at]), outcome)),
      ...(relations.length > 0 && {
        names: names.slice(i * relations.length, (i + 1) * relations.length),
      }),
    };
  });
}

const toEntry = (ctx: Ctx, coin_type: string, outcome: PrimaryNameResult) =>
  outcome instanceof ApiError
    ? { coin_type, unresolved: unresolvedParts(["primary_name"], outcome) }
    : { coin_type, ...toPrimaryName(outcome.primary, ctx), source: outcome.source };

type FirstNames = NonNullable<AddressItem["names"]>[number];

/** A relation, and the list of names that an address has by it. */
type List = { relation: string; request: Parameters<typeof readFirstPages>[1][number] };

/** The first page of each list, as the operation that lists it gives. */
async function listNames(ctx: Ctx, lists: readonly List[]): Promise<FirstNames[]> {
  const found: FirstNames[] = [];
  for (let from = 0; from < lists.length; from += LISTS_OF_BATCH) {
    const batch = lists.slice(from, from + LISTS_OF_BATCH);
    const requests = batch.map(({ request }) => request);
    const pages = await readFirstPages(ctx, requests);
    const names = await checkHeld(ctx, pages);
    const items = await toHeldItems(ctx, names.flat());
    for (const [i, { relation }] of batch.entries()) {
      const { total = 0, next_cursor } = (pages[i] as (typeof pages)[number]).fields;
      const results = (names[i] ?? []).flatMap((name) => items.get(name) ?? []);
      found.push({ relation, total, results, ...(next_cursor !== undefined && { next_cursor }) });
    }
  }
  return found;
}
