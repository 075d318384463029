import type { Keyset } from "../query/keyset.ts";
import { MAX_COUNTED, type Page, type Part } from "../query/page.ts";
import { type ListOf, writeCursor } from "../schemas/cursor.ts";
import { type PageInput, partOf } from "../schemas/paging.ts";

/** A requested list: its operation's path, the whole input, and the keys of its order. */
export type Asked = ListOf & { input: PageInput; keys: readonly Pick<Keyset[number], "kind">[] };

/** The page to read, and the fields about it in the answer. */
export type OpenPage = { part: Part; fields: (found: Pick<Page<unknown>, "total" | "next">) => PageFields };

type PageFields = { total?: number; page?: number; page_size: number; next_cursor: string | null };

/**
 * Opens a page of a list.
 *
 * @throws ApiError INVALID_PARAMETER for a cursor that is damaged, belongs to another list, or is given together with a page
 * @example
 * const { part, fields } = openPage({ operation: "/agents", input: request, keys });
 * const { rows, ...found } = await listAgents(ctx.db, part);
 * return { agents: rows.map(toItem), ...fields(found) };
 */
export function openPage({ keys, ...list }: Asked): OpenPage {
  const part = partOf(list, keys);
  return {
    part,
    fields: ({ total, next }) => ({
      ...(total !== null && { total }),
      ...(part.after === undefined && { page: part.page }),
      page_size: part.size,
      next_cursor: next && writeCursor(list, next),
    }),
  };
}

/** The length fields of a heavy list, which is counted up to its bound + 1. */
export const totalsOf = (total: number | null) =>
  total !== null && total > MAX_COUNTED
    ? { total: MAX_COUNTED, is_total_minimum: true as const }
    : { ...(total !== null && { total }) };
