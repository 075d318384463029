import { z } from "@hono/zod-openapi";
import { count } from "./values.ts";

/** Fields that every paged answer has beside its results. */
export const pageFields = {
  total: count,
  page: z.int().min(1),
  page_size: count.openapi({ example: 25 }),
};

/** Fields that an answer with a history has beside its entries; without `page` it has no page. */
export const historyFields = {
  total: count.openapi({ description: "Entries in all, also those that are not in this answer" }),
  page: z.int().min(1).optional(),
  page_size: count.optional().openapi({ example: 25 }),
};

/** Of an answer with what happened to a name, or with the names below it. */
export const isIncomplete = z.literal(true).optional().openapi({
  description:
    "Present where entries may be missing: the name's registry of ENSv2 is linked at more names than are followed, was linked just now, or has unknown code",
});
