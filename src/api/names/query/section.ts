import type { Position } from "./keyset.ts";
import { type ListForm, readPage } from "./listStatements.ts";
import type { Page, Part } from "./page.ts";

/**
 * Entries of a history in an answer to a caller who asks for no page: the newest ones. Hardly any name has more, and
 * 1,000 entries are about 0.5 MB of JSON.
 */
export const MAX_ENTRIES = 1_000;

/** Which entries of a history: a page, or the newest. */
export type Section = Part | { newest: true; isCounted: boolean };

/** Reads entries by the statement of a form; each row has the number of all entries beside its own columns. */
type Reader<Row> = (
  form: ListForm,
  values: Record<string, unknown>,
) => Promise<(Row & { total: number | null; position: Position })[]>;

/** A section of a history that is shown oldest first. Its newest entries are found from the end. */
export async function oldestFirst<Row>(section: Section, read: Reader<Row>): Promise<Page<Row>> {
  if (!("newest" in section)) return readPage(section, "asc", read);
  const listed = await newestFirst(section, read);
  return { ...listed, rows: listed.rows.toReversed() };
}

/** A section of a history that is shown newest first. */
export async function newestFirst<Row>(section: Section, read: Reader<Row>): Promise<Page<Row>> {
  if (!("newest" in section)) return readPage(section, "desc", read);
  const { isCounted } = section;
  const listed = await readPage<Row & { total: number | null; position: Position }>(
    { page: 1, size: MAX_ENTRIES, isCounted },
    "desc",
    read,
  );
  // Such an answer is no page: `page` or `page_size` begin the way through all entries.
  return { ...listed, next: null };
}
