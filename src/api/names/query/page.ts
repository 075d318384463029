import { domain } from "ponder:schema";
import type { SQL, SQLWrapper } from "drizzle-orm";
import { sql } from "ponder";
import { ownerAt } from "../rules/ownershipSql.ts";
import type { Time } from "../rules/time.ts";
import type { Keyset, OrderKey, Position } from "./keyset.ts";
import type { ScopeSql } from "./scope.ts";

export type SortDirection = "asc" | "desc";

/** Sort columns of domains. */
export const sortColumns = ["full_name", "label", "expiry_timestamp", "effective_owner_address"] as const;

/** Sort columns of the names of an address. */
export const addressSortColumns = [
  ...(["full_name", "expiry_timestamp"] as const),
  ...(["registered_timestamp", "created_timestamp"] as const),
] as const;

export type SortColumn = (typeof sortColumns)[number] | (typeof addressSortColumns)[number];

/** The start of a page: a page number, from 1, or the last row of the previous page. */
type Start = { page: number; after?: undefined } | { after: Position };

/** A page of a list: its start, its size, and whether to count the rows of the whole list. */
export type Part = Start & { size: number; isCounted: boolean };

/** A page of a list of domains, and its order. */
export type PageRequest = Part & {
  sortBy: SortColumn;
  sortDir: SortDirection;
  /** Sorts names whose label is known only by hash last, when sorting by name. */
  unknownLast?: boolean | undefined;
};

/** Results that can be reached by page number. A cursor reaches all of them, and is as fast as the first page. */
export const MAX_BY_NUMBER = 100_000;

/** The list has more rows than page numbers reach. `http/deepPages.ts` returns it as LIMIT_EXCEEDED. */
class PageTooDeep extends Error {
  override readonly name = "PageTooDeep";
}

/** Rows to skip before a page; 0 when it starts after a cursor. At most the number that page numbers reach. */
export const offsetOf = (part: Part): number =>
  part.after === undefined ? Math.min((part.page - 1) * part.size, MAX_BY_NUMBER) : 0;

/** Rows to read for a page. One extra row shows whether another page follows. */
export const limitOf = ({ size }: Pick<Part, "size">): number => size + 1;

/** Rows read for a page of the usual size. */
export const FEWEST_ROWS = 26;

/** Count limit of the heaviest lists. An exact count would take longer than anyone waits for a page. */
export const MAX_COUNTED = 100_000;

/** Count limit where the number is one of many figures rather than the total of a list. */
export const MAX_COUNTED_IN_OVERVIEW = 10_000;

/** A page of an empty list. */
export const emptyPage = ({ isCounted }: Part): Page<never> => ({
  total: isCounted ? 0 : null,
  rows: [],
  next: null,
});

export type Page<Row> = {
  /** Number of rows in the whole list; null if not counted. */
  total: number | null;
  rows: Row[];
  /** The position of the last row if more rows follow, otherwise null. */
  next: Position | null;
};

/**
 * Cuts a page from the rows that were read for it. A page beyond the end of the list is empty, whatever its number.
 *
 * @throws PageTooDeep if the page lies beyond what page numbers reach, and the list has that many rows
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

/** The total, if the rows that were read determine it: on the last page of a list read from its start. */
export function totalOfLast(read: readonly unknown[], part: Part): number | null {
  if (part.after !== undefined || read.length > part.size) return null;
  const offset = offsetOf(part);
  return read.length > 0 || offset === 0 ? offset + read.length : null;
}

/** The order of a list of domains: the caller's choice, and the list's own settings. */
type Sorting = Pick<PageRequest, "sortBy" | "sortDir" | "unknownLast"> & { nameInOrder?: SQL | undefined };

const beginningOfText = (text: SQL): SQL => sql`left(${text}, 128)`;

/**
 * The order of a list of domains. Names on chain have no length limit, but index entries do. So the first term of an order by
 * name is the beginning of the name, as in the index, and the second is the whole name. The node breaks ties, and with several
 * chains the chain. Names without expiry or owner come last in both directions. A list found by other means may be sorted by
 * another name than the row's.
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
    // A node can exist on several chains.
    ...(isSeveral ? [{ column: sql`${chainId}`, kind: "integer", direction } as const] : []),
  ];
}

/** The name if its own label is known, otherwise null. */
const knownName = sql`case when ${domain.isLabelKnown} then ${domain.fullName} end`;

/**
 * The order of a list of domains that is found first and sorted afterwards. It uses the columns `sort_key`, `node` and `chain_id`
 * of `found`.
 */
export function foundKeys(request: Sorting, of: ScopeSql): Keyset {
  const [first, ...others] = domainKeys(request, 0, of);
  const { inIndex: _, isNull: __, ...key } = first as OrderKey;
  const columns = [sql`sort_key`, sql`node`, sql`chain_id`];
  return [key, ...others].map((one, i) => ({ ...one, column: columns[i] as SQL }));
}

/**
 * The sort key of a list that is found first and sorted afterwards. It differs from the index expression on purpose: with the
 * same expression, PostgreSQL might read all names in index order instead of finding them by the search's own index.
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
