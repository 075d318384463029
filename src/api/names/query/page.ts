import { domain } from "ponder:schema";
import type { SQL, SQLWrapper } from "drizzle-orm";
import { sql } from "ponder";
import { ownerAt } from "../rules/ownershipSql.ts";
import type { Time } from "../rules/time.ts";
import type { Keyset, OrderKey, Position } from "./keyset.ts";
import type { ScopeSql } from "./scope.ts";

export type SortDirection = "asc" | "desc";

/** Columns by which domains can be sorted. */
export const sortColumns = ["full_name", "label", "expiry_timestamp", "effective_owner_address"] as const;

/** Columns by which the names of an address can be sorted. */
export const addressSortColumns = [
  ...(["full_name", "expiry_timestamp"] as const),
  ...(["registered_timestamp", "created_timestamp"] as const),
] as const;

export type SortColumn = (typeof sortColumns)[number] | (typeof addressSortColumns)[number];

/** Where a page begins: by its number, from 1, or after the last row of another. */
type Start = { page: number; after?: undefined } | { after: Position };

/** A page of a list: where it begins, how many rows it has, and whether the rows of the whole list are counted. */
export type Part = Start & { size: number; isCounted: boolean };

/** Which page of a list of domains, in which order. */
export type PageRequest = Part & {
  sortBy: SortColumn;
  sortDir: SortDirection;
  /** In an order by name, labels known only by their hash come last. */
  unknownLast?: boolean | undefined;
};

/** Results that can be reached by the numbers of pages. A cursor leads to all, and is read as fast as the first page. */
export const MAX_BY_NUMBER = 100_000;

/** The list has more rows than numbers of pages reach. `http/deepPages.ts` makes LIMIT_EXCEEDED of it. */
class PageTooDeep extends Error {
  override readonly name = "PageTooDeep";
}

/** Rows to skip before a page, 0 where it begins after a row. No page skips more than can be reached by number. */
export const offsetOf = (part: Part): number =>
  part.after === undefined ? Math.min((part.page - 1) * part.size, MAX_BY_NUMBER) : 0;

/** Rows to read for a page: one more shows whether another page follows. */
export const limitOf = ({ size }: Pick<Part, "size">): number => size + 1;

/** Rows that the statement of a page of the usual size reads. */
export const FEWEST_ROWS = 26;

/**
 * Rows that prepared statements read at once. A number in their text, which the planner sees, finds better plans than a
 * placeholder; more numbers would be more statements. Other pages are cut from the next larger number.
 */
const LIMITS = [FEWEST_ROWS, 101, 201];

export const preparedLimitOf = (part: Pick<Part, "size">): number =>
  LIMITS.find((limit) => limit >= limitOf(part)) ?? limitOf(part);

/** Rows of the heaviest lists are counted to this number: the exact one would take longer than anyone waits for a page. */
export const MAX_COUNTED = 100_000;

/** The same where the number is one of many figures, and not that of a list. */
export const MAX_COUNTED_IN_OVERVIEW = 10_000;

/** A page of a list that has no rows. */
export const emptyPage = ({ isCounted }: Part): Page<never> => ({
  total: isCounted ? 0 : null,
  rows: [],
  next: null,
});

/** A page of rows. */
export type Page<Row> = {
  /** Rows of the whole list; null where they were not to be counted. */
  total: number | null;
  rows: Row[];
  /** The position of the last row, if others follow. */
  next: Position | null;
};

/**
 * The rows of a page, from those that were read for it. A page beyond the end of the list is empty, whatever its number.
 *
 * @throws PageTooDeep if the list has more rows than numbers of pages reach, and the page lies behind them
 */
export function cutPage<Row extends { position: Position }>(
  read: readonly Row[],
  part: Part,
): { rows: Row[]; next: Position | null } {
  const { size } = part;
  if (read.length > 0 && part.after === undefined && part.page * size > MAX_BY_NUMBER) {
    throw new PageTooDeep(
      `Pages of ${size} end with ${Math.floor(MAX_BY_NUMBER / size)}. To reach more, go on by \`cursor\`, which has no end, or narrow the list by filters.`,
    );
  }
  const rows = read.slice(0, size);
  return { rows, next: read.length > size ? (rows.at(-1)?.position ?? null) : null };
}

/** The total, where the rows that were read tell it: after the last page of a list that was read from its beginning. */
export function totalOfLast(read: readonly unknown[], part: Part): number | null {
  if (part.after !== undefined || read.length > part.size) return null;
  const offset = offsetOf(part);
  return read.length > 0 || offset === 0 ? offset + read.length : null;
}

/** What a list of domains is sorted by, besides what the caller chooses. */
type Sorting = Pick<PageRequest, "sortBy" | "sortDir" | "unknownLast"> & { nameInOrder?: SQL | undefined };

const beginningOfText = (text: SQL): SQL => sql`left(${text}, 128)`;

/**
 * The order of a list of domains. The first term is the one of an index: names on chain have no limit but indexes have,
 * so it is the beginning of the name, and then the whole name. The node breaks ties, and of several chains the chain. Names
 * without expiry or owner come last in both directions. A list that is found by other means may be sorted by another name
 * than that of the row.
 */
export function domainKeys(
  { sortBy, sortDir: direction, nameInOrder, unknownLast }: Sorting,
  now: Time,
  { isSeveral }: Pick<ScopeSql, "isSeveral">,
): Keyset {
  const { fullName, label, expiryTimestamp, registeredTimestamp, createdTimestamp, node, chainId } = domain;
  const byText = (column: SQLWrapper): OrderKey => ({
    column: sql`${column}`,
    kind: "text",
    direction,
    inIndex: beginningOfText,
  });
  const first: Record<SortColumn, OrderKey> = {
    full_name: nameInOrder ? { column: nameInOrder, kind: "text", direction } : byText(fullName),
    label: byText(label),
    expiry_timestamp: { column: sql`${expiryTimestamp}`, kind: "decimal", direction, isNullable: true },
    effective_owner_address: { column: ownerAt(now), kind: "address", direction, isNullable: true },
    registered_timestamp: {
      column: sql`${registeredTimestamp}`,
      kind: "bigint",
      direction,
      isNullable: true,
    },
    created_timestamp: { column: sql`${createdTimestamp}`, kind: "bigint", direction },
  };
  const known: OrderKey = {
    ...byText(knownName),
    isNullable: true,
    isNull: sql`(not ${domain.isLabelKnown})`,
  };
  const key = sortBy === "full_name" && unknownLast ? known : first[sortBy];
  return [
    key,
    { column: sql`${node}`, kind: "hash", direction },
    // The same node can be on several chains.
    ...(isSeveral ? [{ column: sql`${chainId}`, kind: "integer", direction } as const] : []),
  ];
}

/** The name where its own label is known; null for others. */
const knownName = sql`case when ${domain.isLabelKnown} then ${domain.fullName} end`;

/**
 * The order of a list of domains that is found first, as `found` with its `sort_key`, `node` and `chain_id`, and sorted
 * then.
 */
export function foundKeys(request: Sorting, of: ScopeSql): Keyset {
  const [first, ...others] = domainKeys(request, 0, of);
  const { inIndex: _, isNull: __, ...key } = first as OrderKey;
  const columns = [sql`sort_key`, sql`node`, sql`chain_id`];
  return [key, ...others].map((one, i) => ({ ...one, column: columns[i] as SQL }));
}

/**
 * The sort key of a list that is found first and sorted then. It is not the expression of an index: if it were,
 * PostgreSQL might read all names in that index's order instead of finding them by the search's own index.
 */
export function sortKeyOf({ sortBy, unknownLast }: Sorting, now: number): SQL {
  const keys: Record<SortColumn, SQL> = {
    full_name: unknownLast ? knownName : sql`${domain.fullName}`,
    label: sql`${domain.label}`,
    expiry_timestamp: sql`${domain.expiryTimestamp}`,
    effective_owner_address: ownerAt(now),
    registered_timestamp: sql`${domain.registeredTimestamp}`,
    created_timestamp: sql`${domain.createdTimestamp}`,
  };
  return keys[sortBy];
}
