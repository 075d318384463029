import { PAGE_SIZE } from "../query/page.ts";
import { MAX_ENTRIES } from "../query/section.ts";

/** What the descriptions of all histories say of their length. */
export const NEWEST = `Without \`page\` the answer has the newest ${MAX_ENTRIES} entries in the same order; if \`total\` is more, \`page\` leads to all.`;

/** The fields of an answer with a history that tell how long it is. */
export const historyFieldsOf = ({ page, total }: { page: number | undefined; total: number }) => ({
  total,
  ...(page !== undefined && { page, page_size: PAGE_SIZE }),
});
