import { MAX_PAGE } from "../../http/deepPages.ts";
import type { Paged } from "../replies.ts";

type Props = {
  list: Paged /** Path and query of another page of the list. */;
  urlOf: (page: number) => string;
  what: string;
};

/** Where in a list one is, and the way to the next page. */
export const Pager = ({ list: { total, page, page_size }, urlOf, what }: Props) => {
  const pages = Math.min(MAX_PAGE, Math.max(1, Math.ceil(total / page_size)));
  if (pages === 1) return null;
  const first = (page - 1) * page_size + 1;
  return (
    <nav class="pager" aria-label={`Pages of ${what}`}>
      {page > 1 ? (
        <a rel="prev" href={urlOf(page - 1)}>
          Previous
        </a>
      ) : (
        <span class="faint">Previous</span>
      )}
      <span class="number">
        {first.toLocaleString("en")} to {Math.min(first + page_size - 1, total).toLocaleString("en")} of{" "}
        {total.toLocaleString("en")}
      </span>
      {page < pages ? (
        <a rel="next" href={urlOf(page + 1)}>
          Next
        </a>
      ) : (
        <span class="faint">Next</span>
      )}
    </nav>
  );
};

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
