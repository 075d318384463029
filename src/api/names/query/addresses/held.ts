import { domain } from "ponder:schema";
import type { SQL } from "drizzle-orm";
import { and, sql } from "ponder";
import type { Address, Hex } from "viem";
import type { Db } from "../../../server/postgres/db.ts";
import { type DomainPage, preparedPages } from "../domainPages.ts";
import { listInOrder } from "../domains.ts";
import {
  type Position,
  positionOf,
  type RangeName,
  rangeOf,
  rangesFrom,
  readRanges,
  valuesAt,
} from "../keyset.ts";
import {
  cutPage,
  domainKeys,
  isNullable,
  limitOf,
  offsetOf,
  type PageRequest,
  totalOfLast,
} from "../page.ts";
import { sqlOf } from "../scope.ts";
import { countHeld, isOwnersAlone } from "./counts.ts";
import { filterCondition, type HeldChoice, isUnfiltered, type NameFilters } from "./filters.ts";
import { forEachOwner, isActive, isOwned, ownerRoleOf, parametersOf, valuesOf } from "./owners.ts";
import { type Held, type Part, partsOfRelations } from "./relations.ts";

/** A page of the names that an address has some relation to, with the total. */
export async function listHeld(
  db: Db,
  held: Held,
  { filters, page }: { filters: NameFilters; page: PageRequest },
): Promise<DomainPage> {
  if (isOwnersAlone(held.relations) && isUnfiltered(filters)) {
    const pages = ownedPages[ownerRoleOf(held)][filters.choice];
    return pages(db, held.chains, { page, ...valuesOf(held) });
  }
  const { read, ...listed } = await listParts(db, held, { filters, page });
  if (!page.isCounted) return { total: null, ...listed };
  return { total: totalOfLast(read, page) ?? (await countAll(db, held, filters)), ...listed };
}

async function countAll(db: Db, held: Held, filters: NameFilters): Promise<number> {
  const counts = [...(await countHeld(db, held, filters)).values()];
  return counts.reduce((sum, { total }) => sum + total, 0);
}

const ownedPages = forEachOwner((role) => {
  const pagesOf = (choice: HeldChoice) =>
    preparedPages<{ address: Address; now: number }>({
      name: `${role}_${choice}`,
      where: (of) => {
        const owned = isOwned(role, parametersOf(of));
        return choice === "active" ? and(owned, isActive(parametersOf(of))) : owned;
      },
    });
  return { all: pagesOf("all"), active: pagesOf("active") };
});

type Listed = { chainId: number; node: Hex; position: Position };

/**
 * Of each part the first names that the page may have, found by its index, and of these the page. So a page costs the names on
 * it, however many the address has; of a part without an index of this order all names are read.
 */
async function listParts(db: Db, held: Held, { filters, page }: { filters: NameFilters; page: PageRequest }) {
  const parts = partsOfRelations(held, held.relations);
  if (parts.length === 0) return { rows: [], next: null, read: [] };
  const keys = domainKeys(page, held.now, sqlOf(held.chains));
  const found = keys.map((key, i) => ({ ...key, column: sql.raw(`key${i}`) }));
  const columns = keys.map(({ column }, i) => sql`, ${column} as ${sql.raw(`key${i}`)}`);
  const filter = filterCondition(filters, held);
  const readRange = async (name: RangeName, limit: number) => {
    const range = rangeOf(keys, name, valuesAt(page.after));
    const firstOf = ({ from, where }: Part): SQL => sql`(
      select ${domain.chainId} as chain_id, ${domain.node} as node ${sql.join(columns)} from ${from}
      where ${and(where, filter, range.where)} order by ${sql.join(range.order, sql`, `)} limit ${limit + offsetOf(page)})`;
    const { order } = rangeOf(found, name, valuesAt(page.after));
    const { rows } = await db.execute<Listed>(sql`
      select chain_id as "chainId", node, ${positionOf(found).sql} as position
      from (${sql.join(parts.map(firstOf), sql` union `)}) as name
      order by ${sql.join(order, sql`, `)} limit ${limit} offset ${offsetOf(page)}`);
    return rows;
  };
  const ranges: RangeName[] = offsetOf(page) > 0 ? ["all"] : rangesFrom(isNullable(page), page.after);
  const read = await readRanges(ranges, limitOf(page), readRange);
  const { rows, next } = cutPage(read, page);
  return { rows: await listInOrder(db, rows), next, read };
}
