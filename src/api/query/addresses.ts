import { domain, holder } from "ponder:schema";
import type { SQL } from "drizzle-orm";
import { and, eq, ne, notExists, sql } from "ponder";
import type { Address } from "viem";
import { ROOT_NODE } from "../../ens/name.ts";
import type { Db } from "../context.ts";
import { isActiveAt, isCounted, isLostAt } from "./counted.ts";
import { countDomains, type DomainRow, listAndCount, listDomainPage, listDomains } from "./domains.ts";
import { isExpiringWithin } from "./lifetime.ts";
import { isWrappedAt, ownedAt } from "./ownership.ts";
import { offsetOf, PAGE_SIZE, type PageRequest, type SortDirection } from "./page.ts";

/** What an address can be to a name. */
export const addressTypes = [
  "effective_owner",
  "registry_owner",
  "registrar_owner",
  "wrapper_owner",
  "resolver",
] as const;

export type AddressType = (typeof addressTypes)[number];

/** Whose names, and when: `address` and `wrapper` (the NameWrapper) in lower case, `now` in unix seconds. */
export type Holding = {
  chainId: number;
  address: Address;
  addressType: AddressType;
  wrapper: Address | undefined;
  now: number;
};

/** The condition for names to which an address is what `addressType` says. */
export function isHeld({ chainId, address, addressType, wrapper, now }: Holding): SQL | undefined {
  const conditions: Record<AddressType, SQL | undefined> = {
    effective_owner: ownedAt({ owner: address, wrapper, now }),
    registry_owner: eq(domain.registryOwner, address),
    registrar_owner: eq(domain.registrarOwner, address),
    wrapper_owner: and(eq(domain.wrapperOwner, address), isWrappedAt(now)),
    resolver: eq(domain.resolver, address),
  };
  return and(eq(domain.chainId, chainId), conditions[addressType], isCounted);
}

/** The same, without names past grace. */
export const isHeldAndActive = (holding: Holding): SQL | undefined =>
  and(isHeld(holding), isActiveAt(holding.now));

/** Which names of an address, and the page of them. */
type HeldPage = { holding: Holding; where: SQL | undefined; page: PageRequest };

/** A page of the names of an address, and how many there are. One index has the names of an owner in their order. */
export async function listHeld(
  db: Db,
  { holding, where, page }: HeldPage,
): Promise<{ total: number; rows: DomainRow[] }> {
  const { chainId, addressType, now } = holding;
  if (addressType === "effective_owner" && page.sortBy === "full_name") {
    const listing = listDomainPage(db, { where, page, now });
    const [total, rows] = await Promise.all([countDomains(db, where), listing]);
    return { total, rows };
  }
  const { counts, rows } = await listAndCount(db, { chainId, where, page, now }, {});
  return { total: counts.total, rows };
}

/** How many names an address holds; `active` are registered or in grace, `expiring30d` expire within 30 days. */
export type HeldCounts = { total: number; active: number; expiring30d: number };

/** Counts the names of an address in one pass. */
export async function countHeld(db: Db, holding: Holding): Promise<HeldCounts> {
  const { now } = holding;
  const [row] = await db
    .select({
      total: sql<number>`count(*)::int`,
      active: sql<number>`(count(*) filter (where ${isActiveAt(now)}))::int`,
      expiring30d: sql<number>`(count(*) filter (where ${isExpiringWithin(30, now)}))::int`,
    })
    .from(domain)
    .where(isHeld(holding));
  return row ?? { total: 0, active: 0, expiring30d: 0 };
}

/** An address that may have held names before. */
export type FormerHolder = Omit<Holding, "addressType">;

/** A name that an address held, as it is now, and the last event that named the address. */
export type PreviousRow = {
  domain: DomainRow;
  lastOwnedBlockNumber: number;
  lastOwnedBlockTimestamp: number;
};

/**
 * Names on whose events an address appeared as receiver or owner, and which it no longer controls: a page of them, and
 * how many there are. All that the address ever held are gone through, so it is done once for both.
 */
export async function listPrevious(
  db: Db,
  former: FormerHolder,
  { page, sortDir }: { page: number; sortDir: SortDirection },
): Promise<{ total: number; rows: PreviousRow[] }> {
  const direction = sql.raw(sortDir);
  const { node, lastOwnedBlockNumber, lastOwnedBlockTimestamp } = holder;
  const listed = await db
    .select({
      node,
      lastOwnedBlockNumber,
      lastOwnedBlockTimestamp,
      total: sql<number>`(count(*) over ())::int`,
    })
    .from(holder)
    .where(wasHeld(db, former))
    .orderBy(sql`${lastOwnedBlockNumber} ${direction}`, sql`${node} ${direction}`)
    .limit(PAGE_SIZE)
    .offset(offsetOf(page));
  // Behind the last page no row tells how many there are.
  const total = listed[0]?.total ?? (page === 1 ? 0 : await countPrevious(db, former));
  const domains = await listDomains(db, { chainId: former.chainId, nodes: listed.map((row) => row.node) });
  const byNode = new Map(domains.map((row) => [row.node, row]));
  const rows = listed.flatMap(({ total: _total, node, ...last }) => {
    const found = byNode.get(node);
    return found === undefined ? [] : [{ domain: found, ...last }];
  });
  return { total, rows };
}

/** How many names an address held and no longer controls. */
export async function countPrevious(db: Db, former: FormerHolder): Promise<number> {
  const [row] = await db
    .select({ count: sql<number>`count(*)::int` })
    .from(holder)
    .where(wasHeld(db, former));
  return row?.count ?? 0;
}

/**
 * The condition for names that an address held and no longer controls. Both those that it ever held and those that it
 * controls are found by its address alone, each in an index that has all that is asked; so no name is read for it.
 */
function wasHeld(db: Db, former: FormerHolder): SQL | undefined {
  const { chainId, address, now } = former;
  const controlled = db
    .select({ node: domain.node })
    .from(domain)
    .where(
      and(
        isHeld({ ...former, addressType: "effective_owner" }),
        sql`not ${isLostAt(now)}`,
        eq(domain.node, holder.node),
      ),
    );
  return and(
    eq(holder.address, address),
    eq(holder.chainId, chainId),
    ne(holder.node, ROOT_NODE),
    notExists(controlled),
  );
}
