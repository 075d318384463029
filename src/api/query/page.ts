import { domain } from "ponder:schema";
import type { SQL } from "drizzle-orm";
import { sql } from "ponder";
import { ownerAt } from "../rules/ownershipSql.ts";
import type { Time } from "../rules/time.ts";
import type { ScopeSql } from "./scope.ts";

/** Results on one page, in every list. */
export const PAGE_SIZE = 25;

export type SortDirection = "asc" | "desc";

/** Columns by which domains can be sorted. */
export const sortColumns = ["full_name", "label", "expiry_timestamp", "effective_owner_address"] as const;

export type SortColumn = (typeof sortColumns)[number];

/** Which page, in which order; pages count from 1. */
export type PageRequest = { page: number; sortBy: SortColumn; sortDir: SortDirection };

/** First row of a page, counted from 0. */
export const offsetOf = (page: number): number => (page - 1) * PAGE_SIZE;

/**
 * ORDER BY of a list of domains. The first term is the one of an index: names on chain have no limit but indexes have,
 * so it is the beginning of the name, and then the whole name. The node breaks ties, and of several chains the chain. Names without expiry or owner
 * come last in both directions. A list that is found by other means may be sorted by another name than that of the row.
 */
export function orderOf(
  { sortBy, sortDir, nameInOrder }: Omit<PageRequest, "page"> & { nameInOrder?: SQL | undefined },
  now: Time,
  { byChains }: ScopeSql,
): SQL[] {
  const direction = sql.raw(sortDir);
  const terms: Record<SortColumn, SQL[]> = {
    full_name: nameInOrder
      ? [sql`${nameInOrder} ${direction}`]
      : [sql`left(${domain.fullName}, 128) ${direction}`, sql`${domain.fullName} ${direction}`],
    label: [sql`left(${domain.label}, 128) ${direction}`, sql`${domain.label} ${direction}`],
    expiry_timestamp: [sql`${domain.expiryTimestamp} ${direction} nulls last`],
    effective_owner_address: [sql`${ownerAt(now)} ${direction} nulls last`],
  };
  const chain = byChains({ main: [], several: [sql`${domain.chainId} ${direction}`] });
  return [...terms[sortBy], sql`${domain.node} ${direction}`, ...chain];
}

/**
 * The sort key of a list that is found first and sorted then. It is not the expression of an index: if it were,
 * PostgreSQL might read all names in that index's order instead of finding them by the search's own index.
 */
export function sortKeyOf(sortBy: SortColumn, now: number): SQL {
  const keys: Record<SortColumn, SQL> = {
    full_name: sql`${domain.fullName}`,
    label: sql`${domain.label}`,
    expiry_timestamp: sql`${domain.expiryTimestamp}`,
    effective_owner_address: ownerAt(now),
  };
  return keys[sortBy];
}
