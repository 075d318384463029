import type { z } from "@hono/zod-openapi";
import type { Address } from "viem";
import type { Ctx } from "../../server/http/context.ts";
import type { NameFilters } from "../query/addresses/filters.ts";
import type { DomainRow } from "../query/domains.ts";
import type { DomainState } from "../resolution/domainState.ts";
import type { Includable } from "../resolution/included.ts";
import { checkListed, isHeldBy } from "../resolution/listedNames.ts";
import { type ListedName, readRelations } from "../resolution/relations.ts";
import type { Relation } from "../rules/relations.ts";
import type { addressDomainItem } from "../schemas/answers.ts";
import { toDomainItem } from "../serializers/domain.ts";
import { listedItems, meetsFilters } from "./listedItems.ts";

/* The names on pages of addresses' lists, of several pages at once: the statements for one page are those for a hundred. */

/** A page of the names of an address as the rows have them: what it has to be to them, and what else they have to meet. */
export type HeldPage = {
  address: Address;
  relations: readonly Relation[];
  filters: NameFilters;
  rows: readonly DomainRow[];
};

/** The names of each page as they are now. */
export async function checkHeld(ctx: Ctx, pages: readonly HeldPage[]): Promise<ListedName[][]> {
  const checks = pages.map(({ address, relations, filters }) => {
    const isHeld = isHeldBy(address, relations);
    return (name: DomainState) => isHeld(name) && isListed(name, ctx, filters);
  });
  const checkOf = new Map(pages.flatMap(({ rows }, i) => rows.map((row) => [row, checks[i]] as const)));
  const states = await checkListed(
    ctx,
    pages.flatMap(({ rows }) => rows),
    (name, row) => checkOf.get(row)?.(name) ?? false,
  );
  return pages.map(({ address, rows }) =>
    rows.flatMap((row) => {
      const state = states.get(row);
      return state ? [{ address, row, state }] : [];
    }),
  );
}

/** Whether a name meets the filters by its current state. */
function isListed(name: DomainState, ctx: Ctx, filters: NameFilters): boolean {
  const item = toDomainItem(name, ctx);
  const { protocols } = item;
  const isOfProtocols =
    filters.protocols === undefined ||
    protocols === undefined ||
    filters.protocols.some((one) => protocols.includes(one));
  return isOfProtocols && meetsFilters(item, filters);
}

type HeldItem = z.infer<typeof addressDomainItem>;

/** Names of lists as items, each with all that the address is to it. */
export async function toHeldItems(
  ctx: Ctx,
  names: readonly ListedName[],
  include: readonly Includable[] = [],
): Promise<Map<ListedName, HeldItem>> {
  const states = names.map(({ state }) => state);
  const [relationsOf, items] = await Promise.all([
    readRelations(ctx, names),
    listedItems(ctx, states, include),
  ]);
  return new Map(
    names.map((name, i) => [
      name,
      { ...(items[i] as (typeof items)[number]), relations: relationsOf.get(name) ?? [] },
    ]),
  );
}
