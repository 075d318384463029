import type { z } from "@hono/zod-openapi";
import type { Address } from "viem";
import type { Ctx } from "../../server/http/context.ts";
import type { DomainRow } from "../query/domains.ts";
import type { Includable } from "../resolution/included.ts";
import { checkListed, type Listed } from "../resolution/listedNames.ts";
import { type ListedName, readRelations } from "../resolution/readRelations.ts";
import type { addressDomainItem } from "../schemas/answers.ts";
import { listedItems } from "./listedItems.ts";

/* The names on pages of addresses' lists, of several pages at once: the statements for one page are those for a hundred. */

/** A page of the names of an address, as the rows have them. */
export type HeldPage = Listed<DomainRow> & { address: Address };

/** The names of each page as they are now. */
export async function checkHeld(ctx: Ctx, pages: readonly HeldPage[]): Promise<ListedName[][]> {
  const states = await checkListed(ctx, pages);
  return pages.map(({ address, rows }) =>
    rows.flatMap((row) => {
      const state = states.get(row);
      return state ? [{ address, row, state }] : [];
    }),
  );
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
