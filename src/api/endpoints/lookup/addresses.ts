import type { z } from "@hono/zod-openapi";
import { ApiError } from "../../errors/errors.ts";
import type { Ctx } from "../../http/context.ts";
import { type Outcome, resolvePrimaryNamesOn } from "../../resolution/primaryNames.ts";
import { limiter } from "../../scheduling/bounded.ts";
import type { lookedUpAddress } from "../../schemas/answers/lookup.ts";
import type { Sought } from "../../schemas/lookup.ts";
import { toPrimaryName } from "../../serializers/address.ts";
import { unresolvedParts } from "../../serializers/domain.ts";
import { toAddress } from "../../serializers/hex.ts";
import { addressDomains } from "../addressNames.ts";

export type SoughtAddress = Extract<Sought, { kind: "address" }>;
export type AddressItem = z.input<typeof lookedUpAddress>;

type Caller = Parameters<typeof addressDomains.handle>[2];

/** What is asked for of each address. */
export type AddressChoice = { coinTypes: readonly bigint[]; relations: readonly string[] };

/** Lists of one request that are read at once: others need connections, too. */
const LISTS_AT_ONCE = 3;

/** Answers addresses, in their order. */
export async function answerAddresses(
  ctx: Ctx,
  caller: Caller,
  { addresses, choice }: { addresses: readonly SoughtAddress[]; choice: AddressChoice },
): Promise<AddressItem[]> {
  const { coinTypes, relations } = choice;
  const asked = addresses.flatMap(({ address }) => coinTypes.map((coinType) => ({ address, coinType })));
  const lists = relations.map((relation) => ({
    relation,
    query: addressDomains.query.parse({ address_type: relation }),
  }));
  const inTurn = limiter(LISTS_AT_ONCE);
  const signal = new AbortController().signal;
  const [outcomes, names] = await Promise.all([
    resolvePrimaryNamesOn(ctx, asked),
    Promise.all(
      addresses.map(({ address }) =>
        Promise.all(lists.map((list) => inTurn(signal, () => listNames(ctx, caller, { address, list })))),
      ),
    ),
  ]);
  return addresses.map((one, i) => {
    const ofAddress = outcomes.slice(i * coinTypes.length, (i + 1) * coinTypes.length);
    const failed = ofAddress.find((outcome) => outcome instanceof ApiError);
    return {
      ...{ input: one.input, status: failed ? ("unresolved" as const) : ("ok" as const) },
      ...(failed && { error: { code: failed.code, message: failed.message } }),
      address: toAddress(one.address),
      primary_names: ofAddress.map((outcome, at) => toEntry(ctx, String(coinTypes[at]), outcome)),
      ...(relations.length > 0 && { names: names[i] ?? [] }),
    };
  });
}

const toEntry = (ctx: Ctx, coin_type: string, outcome: Outcome) =>
  outcome instanceof ApiError
    ? { coin_type, unresolved: unresolvedParts(["primary_name"], outcome) }
    : { coin_type, ...toPrimaryName(outcome.primary, ctx), source: outcome.source };

type FirstNames = NonNullable<AddressItem["names"]>[number];

/** A relation, and the query that lists its names. */
type List = { relation: string; query: ReturnType<typeof addressDomains.query.parse> };

/** The first names by a relation: the first page of the operation that lists them. */
async function listNames(
  ctx: Ctx,
  caller: Caller,
  { address, list: { relation, query } }: { address: string; list: List },
): Promise<FirstNames> {
  const page = (await addressDomains.handle({ ...query, address }, ctx, caller)) as Omit<
    FirstNames,
    "relation"
  >;
  const { total, results, next_cursor } = page;
  return { relation, total, results, ...(next_cursor !== undefined && { next_cursor }) };
}
