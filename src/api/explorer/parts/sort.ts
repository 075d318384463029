import type { Column } from "./table.tsx";

type Order = { sort_by: string | undefined; sort_dir: string | undefined };

type UrlOf = (values: Record<string, string | undefined>) => string;

/** Lists are in the order of names, unless another is asked for. */
const FIRST = "full_name";

/** A heading that sorts by its column; a second time in the other direction. */
export function sortable(title: string, column: string, order: Order, urlOf: UrlOf): Column {
  const isNow = (order.sort_by ?? FIRST) === column;
  const isDescending = order.sort_dir === "desc";
  const now = isDescending ? "descending" : "ascending";
  const sort_dir = isNow && !isDescending ? "desc" : "asc";
  return { title, sort: { url: urlOf({ sort_by: column, sort_dir }), now: isNow ? now : null } };
}
