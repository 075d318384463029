import type { z } from "@hono/zod-openapi";
import { ApiError } from "../../server/errors/errors.ts";
import type { Keyset } from "../query/keyset.ts";
import type { Part } from "../query/page.ts";
import { type ListOf, MAX_CURSOR, readCursor } from "./cursor.ts";
import { input } from "./input.ts";

/** Results on one page, unless the caller chooses. */
export const PAGE_SIZE = 25;
export const MAX_PAGE_SIZE = 200;

/** Far beyond any list. */
const MAX_PAGE = Number.MAX_SAFE_INTEGER;

const CURSOR =
  "`next_cursor` of the previous answer: continues after its last result. Not with `page`. Keep all parameters but `page_size` and `total`";

const page = (description: string) =>
  input.digits("page", { min: 1, max: MAX_PAGE, description, example: 1 }).optional();

const others = (max: number) => ({
  cursor: input.text("cursor", { max: MAX_CURSOR, description: CURSOR }).optional(),
  page_size: input
    .digits("page_size", { min: 1, max, description: "Results per page" })
    .optional()
    .openapi({ default: PAGE_SIZE }),
  total: input.flag("total", "`false` leaves out `total` and saves counting", true),
});

/** Parameters of every list. @param max results on one page */
export const listPage = (max = MAX_PAGE_SIZE) => ({
  page: page("Page, from 1").openapi({ default: 1 }),
  ...others(max),
});

/** Parameters of a history, which answers without them, too. */
export const historyPage = () => ({
  page: page(
    "Page, from 1. Without it, `cursor` and `page_size`, the answer has the newest entries without paging",
  ),
  ...others(MAX_PAGE_SIZE),
});

/** The paging parameters of a request. */
export type PageInput = z.output<z.ZodObject<ReturnType<typeof listPage>>>;

/**
 * The page of a list that a caller asks for.
 *
 * @throws ApiError INVALID_PARAMETER for a cursor that is damaged, of another list, or beside a page
 */
export function partOf(
  list: ListOf & { input: PageInput },
  keys: readonly Pick<Keyset[number], "kind">[],
): Part {
  const { page, cursor, page_size: size = PAGE_SIZE, total: isCounted } = list.input;
  if (cursor === undefined) return { page: page ?? 1, size, isCounted };
  if (page !== undefined) {
    throw new ApiError("INVALID_PARAMETER", "`page` and `cursor` exclude each other: send one of them.");
  }
  const kinds = keys.map(({ kind }) => kind);
  return { after: readCursor(list, kinds, cursor), size, isCounted };
}
