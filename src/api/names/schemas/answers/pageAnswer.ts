import { z } from "@hono/zod-openapi";
import { count } from "./valuesAnswer.ts";

const nextCursor = z.string().nullable().openapi({
  description: "The `cursor` of the next page; null after the last one",
  example: "AQnAB3JSq1iVqJk9YWxpY2UuZXRo",
});

/** Fields that every paged answer has beside its results. */
export const pageFields = {
  total: count.optional().openapi({ description: "All results; absent with `total=false`" }),
  page: z.int().min(1).optional().openapi({ description: "Absent with `cursor`" }),
  page_size: count.openapi({ example: 25 }),
  next_cursor: nextCursor,
};

/** Fields beside the entries of a history; absent unless a page was requested. */
export const historyFields = {
  total: count.optional().openapi({
    description: "All entries, including those not in this answer; absent with `total=false`",
  }),
  page: z.int().min(1).optional(),
  page_size: count.optional().openapi({ example: 25 }),
  next_cursor: nextCursor.optional().openapi({
    description: "The `cursor` of the next page; null after the last one, absent without paging",
  }),
};

/** Of an answer with what happened to a name, or with the names below it. */
export const isIncomplete = z.literal(true).optional().openapi({
  description:
    "Present if entries may be missing: the name's ENSv2 registry is linked at more names than are tracked, was linked just now, or has unknown code",
});

/** Says that a list has more rows than are counted, which its `total` is then. @param what the rows, as people call them */
export const totalMinimum = (what: string, most: number) =>
  z
    .literal(true)
    .optional()
    .openapi({
      description: `Present if there are more ${what} than are counted: \`total\` is then ${most}`,
    });
