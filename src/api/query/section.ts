import type { SQL } from "drizzle-orm";
import { sql } from "ponder";
import { offsetOf, PAGE_SIZE, type SortDirection } from "./page.ts";

/**
 * Entries of a history in an answer to a caller who asks for no page: the newest ones. Hardly any name has more, and
 * 1,000 entries are about 0.5 MB of JSON.
 */
export const MAX_ENTRIES = 1_000;

/** Which entries of a history: a page, or without one the newest. */
export type Section = { page?: number | undefined };

/** Some entries of a history, in its order, and how many it has in all. */
export type Listed<Row> = { total: number; rows: Row[] };

/** Which rows a statement gives. */
type Slice = { direction: SortDirection; limit: number; offset: number };

/** The place of a section in a history that is shown oldest first. Its newest entries are found from the end. */
const sliceOf = ({ page }: Section): Slice =>
  page === undefined
    ? { direction: "desc", limit: MAX_ENTRIES, offset: 0 }
    : { direction: "asc", limit: PAGE_SIZE, offset: offsetOf(page) };

/** Reads entries in one direction; each row has the number of all entries beside its own columns. */
type Reader<Row> = (slice: Slice) => Promise<(Row & { total: number })[]>;

/** A section of a history that is shown oldest first. */
export async function oldestFirst<Row>(section: Section, read: Reader<Row>): Promise<Listed<Row>> {
  const slice = sliceOf(section);
  const listed = await readSlice(slice, read);
  return slice.direction === "desc" ? { ...listed, rows: listed.rows.toReversed() } : listed;
}

/** A section of a history that is shown newest first. */
export const newestFirst = <Row>(section: Section, read: Reader<Row>): Promise<Listed<Row>> =>
  readSlice({ ...sliceOf(section), direction: "desc" }, read);

async function readSlice<Row>(slice: Slice, read: Reader<Row>): Promise<Listed<Row>> {
  const rows = await read(slice);
  if (rows.length > 0 || slice.offset === 0) return { total: rows[0]?.total ?? 0, rows };
  // After the last page no row has the total.
  const [first] = await read({ ...slice, limit: 1, offset: 0 });
  return { total: first?.total ?? 0, rows: [] };
}

/** LIMIT and OFFSET of a prepared statement that reads a slice. */
export const sliced: SQL = sql`limit ${sql.placeholder("limit")} offset ${sql.placeholder("offset")}`;

/** Makes a statement for each direction. */
export const inBothDirections = <Made>(
  make: (direction: SortDirection) => Made,
): Record<SortDirection, Made> => ({
  asc: make("asc"),
  desc: make("desc"),
});
