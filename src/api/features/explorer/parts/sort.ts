import type { Visit } from "../page.ts";
import type { Column } from "./table.tsx";

/** The order of a list, as the query asks for it. */
export type Order = { sort_by: string | undefined; sort_dir: string | undefined };

export const orderOf = ({ query }: Pick<Visit, "query">): Order => ({
  sort_by: query("sort_by"),
  sort_dir: query("sort_dir"),
});

/** A page with these values in its query. */
export type UrlOf = (values: Record<string, string | number | undefined>) => string;

/** Lists are sorted by name by default. */
const FIRST = "full_name";

/** A heading that sorts by its column; a second time in the other direction. */
export function sortable(title: string, column: string, order: Order, urlOf: UrlOf): Column {
  const isNow = (order.sort_by ?? FIRST) === column;
  const isDescending = order.sort_dir === "desc";
  const now = isDescending ? "descending" : "ascending";
  const sort_dir = isNow && !isDescending ? "desc" : "asc";
  return { title, sort: { url: urlOf({ sort_by: column, sort_dir }), now: isNow ? now : null } };
}
