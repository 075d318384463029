import { domain } from "ponder:schema";
import { and, sql } from "ponder";
import type { Db } from "../../../server/postgres/db.ts";
import { withQuickRows } from "../../../server/postgres/quickRows.ts";
import type { DomainPage } from "../domainPages.ts";
import { selectDomains, toRow } from "../domains.ts";
import { positionOf, rangeOf } from "../keyset.ts";
import { cutPage, domainKeys, FEWEST_ROWS, limitOf, type PageRequest, totalOfLast } from "../page.ts";
import { type Scope, statementOf } from "../scope.ts";
import { isOwnersAlone } from "./counts.ts";
import { isUnfiltered, type NameFilters } from "./filters.ts";
import { isActive, isOwned, ownerRoleOf } from "./owners.ts";
import type { Held } from "./relations.ts";

/** Whether the first page of a list is one of those that `listFirstOwned` reads. */
export const isFirstOwned = (
  held: Held,
  { page, filters }: { page: PageRequest; filters: NameFilters },
): boolean =>
  isOwnersAlone(held.relations) &&
  isUnfiltered(filters) &&
  filters.choice === "active" &&
  ownerRoleOf(held) === "effective_owner" &&
  page.after === undefined &&
  page.page === 1 &&
  limitOf(page) <= FEWEST_ROWS &&
  page.isCounted &&
  page.sortBy === "full_name" &&
  page.sortDir === "asc";

/** What the first pages are of: lists for which `isFirstOwned` is true. */
export type Owners = {
  chains: Scope;
  lists: readonly { held: Pick<Held, "address">; page: PageRequest }[];
  now: number;
};

/**
 * The first pages of the active names that addresses effectively own, in the order of the lists, each as `listHeld` gives it, by one
 * statement for all. To send a statement takes longer than to find the few names that most addresses have.
 */
export async function listFirstOwned(db: Db, { chains, lists, now }: Owners): Promise<DomainPage[]> {
  if (lists.length === 0) return [];
  const read = await firstOwned(db, chains, { addresses: lists.map(({ held }) => held.address), now });
  const byPlace = Map.groupBy(read, ({ place }) => place);
  return lists.map(({ page }, i) => {
    const found = (byPlace.get(i + 1) ?? []).slice(0, limitOf(page));
    const { rows, next } = cutPage(found, page);
    return { total: totalOfLast(found, page) ?? found[0]?.total ?? null, rows: rows.map(toRow), next };
  });
}

const firstOwned = statementOf((of, db) => {
  const now = sql.placeholder("now");
  const keys = domainKeys({ sortBy: "full_name", sortDir: "asc" }, now, of);
  const { order } = rangeOf(keys, "all");
  const at = { of, address: sql`asked.address`, now };
  const isListed = and(isOwned("effective_owner", at), isActive(at));
  const listed = sql`(
    select asked.place, page.chain_id, page.node, counted.total
    from unnest(${sql.placeholder("addresses")}::text[]) with ordinality as asked (address, place)
    cross join lateral (
      select ${domain.chainId} as chain_id, ${domain.node} as node from ${domain}
      where ${isListed} order by ${sql.join(order, sql`, `)} limit ${sql.raw(String(FEWEST_ROWS))}
    ) as page
    cross join lateral (select count(*)::int as total from ${domain} where ${isListed}) as counted
  ) as listed`;
  return withQuickRows(
    selectDomains(db, {
      place: sql<number>`listed.place::int`.as("place"),
      total: sql<number>`listed.total`.as("total"),
      position: positionOf(keys),
    })
      .innerJoin(listed, sql`${domain.chainId} = listed.chain_id and ${domain.node} = listed.node`)
      .orderBy(sql`listed.place`, ...order)
      .prepare(of.title("first_owned")),
  );
});
