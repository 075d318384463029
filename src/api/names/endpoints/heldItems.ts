import type { z } from "@hono/zod-openapi";
import type { Address } from "viem";
import type { Ctx } from "../../server/http/context.ts";
import type { DomainRow } from "../query/domains.ts";
import type { Includable } from "../resolution/included.ts";
import { checkListed, type Listed } from "../resolution/listedNames.ts";
import { type ListedName, readRelations } from "../resolution/readRelations.ts";
import type { addressDomainItem } from "../schemas/answers.ts";
import { listedItems } from "./listedItems.ts";

/* Names on pages of addresses' lists. One page and a hundred pages take the same statements. */

/** Rows of a page of an address's names. */
export type HeldPage = Listed<DomainRow> & { address: Address };

/** The current names of each page. */
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

/** Items of lists, each with every relation of the address to the name. */
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
