import { MAX_ENTRIES, type Section } from "../query/list.ts";
import { type OpenPage, openPage } from "./listPages.ts";

/** The part of every history's description that covers its length. */
export const NEWEST = `Without \`page\`, \`cursor\` and \`page_size\` the answer has the newest ${MAX_ENTRIES} entries in the same order; if \`total\` is more, \`page\` or \`page_size\` and then \`cursor\` lead to all.`;

type OpenHistory = {
  section: Section;
  fields: (found: Parameters<OpenPage["fields"]>[0]) => Partial<ReturnType<OpenPage["fields"]>>;
};

/**
 * Opens a history: a page of it, or the newest entries.
 *
 * @throws ApiError as `openPage`
 */
export function openHistory(...asked: Parameters<typeof openPage>): OpenHistory {
  const [, { page, cursor, page_size, total: isCounted }] = asked;
  if ((page ?? cursor ?? page_size) !== undefined) {
    const { part, fields } = openPage(...asked);
    return { section: part, fields };
  }
  return { section: { newest: true, isCounted }, fields: ({ total }) => (total === null ? {} : { total }) };
}
