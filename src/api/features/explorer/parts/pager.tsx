import { MAX_PAGE } from "../../../server/http/deepPages.ts";
import type { Visit } from "../page.ts";
import type { Paged } from "../replies.ts";

/** What the query of a page says of the place in a list: the number of a page, or a cursor with the number of its first row. */
type Place = { page?: string | number | undefined; cursor?: string | undefined; from?: number | undefined };

/** What a list's operation takes of it. */
export const placeIn = ({ query }: Pick<Visit, "query">) => ({
  page: query("page"),
  cursor: query("cursor"),
});

/** The number of the first row, carried along in links because cursors do not reveal it. */
export function firstIn({ query }: Pick<Visit, "query">, { page, page_size }: Paged): number {
  if (page !== undefined) return (page - 1) * page_size + 1;
  return Math.max(1, Math.min(Number.parseInt(query("from") ?? "1", 10) || 1, MAX_SHOWN));
}

/** Far beyond any list. */
const MAX_SHOWN = 1_000_000_000;

/** Links to the previous and next page. The next page begins where this one ends, even if earlier rows change. */
function placesBeside(list: Paged, first: number): Record<"previous" | "next", Place | null> {
  const size = list.page_size;
  const before = Math.min(Math.ceil((first - 1) / size), MAX_PAGE);
  return {
    previous: first > 1 ? { page: before } : null,
    next: list.next_cursor === null ? null : { cursor: list.next_cursor, from: first + size },
  };
}

type Props = {
  total: number;
  size: number;
  /** Number of the first row that is shown. */
  first: number;
  previous: Place | null;
  next: Place | null;
  /** Path and query of another page of the list. */
  urlOf: (place: Place) => string;
  what: string;
};

/** Where in a list one is, and the way to the next page. */
export const Pager = ({ total, size, first, previous, next, urlOf, what }: Props) =>
  previous === null && next === null ? null : (
    <nav class="pager" aria-label={`Pages of ${what}`}>
      {previous === null ? (
        <span class="faint">Previous</span>
      ) : (
        <a rel="prev" href={urlOf(previous)}>
          Previous
        </a>
      )}
      <span class="number">
        {first.toLocaleString("en")} to{" "}
        {Math.max(first, Math.min(first + size - 1, total)).toLocaleString("en")} of{" "}
        {total.toLocaleString("en")}
      </span>
      {next === null ? (
        <span class="faint">Next</span>
      ) : (
        <a rel="next" href={urlOf(next)}>
          Next
        </a>
      )}
    </nav>
  );

/** The pager of a list that an operation gave. */
export const ListPager = ({ list, first, ...shown }: ListProps) => (
  <Pager {...shown} {...placesBeside(list, first)} total={list.total} size={list.page_size} first={first} />
);

type ListProps = Pick<Props, "first" | "urlOf" | "what"> & { list: Paged };

/** A path with a query of those values that are there. */
export function withQuery(path: string, values: Record<string, string | number | undefined>): string {
  const given = Object.entries(values).filter(
    (entry): entry is [string, string | number] => entry[1] !== undefined,
  );
  const query = new URLSearchParams(
    given.map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();
  return query === "" ? path : `${path}?${query}`;
}
