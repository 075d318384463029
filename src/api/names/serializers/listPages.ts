import type { Keyset } from "../query/keyset.ts";
import { MAX_COUNTED, type Page, type Part } from "../query/page.ts";
import { writeCursor } from "../schemas/cursor.ts";
import { type PageInput, partOf } from "../schemas/paging.ts";

/** The page to read, and the fields about it in the answer. */
export type OpenPage = { part: Part; fields: (found: Pick<Page<unknown>, "total" | "next">) => PageFields };

type PageFields = { total?: number; page?: number; page_size: number; next_cursor: string | null };

/**
 * Opens a page of a list.
 *
 * @param operation the path of the list's operation
 * @param input the whole input
 * @param keys the keys of the list's order
 * @throws ApiError INVALID_PARAMETER for a cursor that is damaged, belongs to another list, or is given together with a page
 * @example
 * const { part, fields } = openPage("/agents", request, keys);
 * const { rows, ...found } = await listAgents(ctx.db, part);
 * return { agents: rows.map(toItem), ...fields(found) };
 */
export function openPage(
  operation: string,
  input: PageInput,
  keys: readonly Pick<Keyset[number], "kind">[],
): OpenPage {
  const list = { operation, input };
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
