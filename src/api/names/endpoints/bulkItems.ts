import type { z } from "@hono/zod-openapi";
import { ApiError } from "../../server/errors/errors.ts";

/** Limits of one bulk request. */
type BulkBounds = { maxItems: number; maxLabels?: number; what: string; fields: string };

/**
 * Adds an issue for too few or too many items, or too many labels in all: each label may be an ancestor that must be
 * looked up.
 */
export function checkItems(
  { names = [], others = 0 }: { names?: readonly string[]; others?: number },
  issues: z.RefinementCtx,
  { maxItems, maxLabels = Number.POSITIVE_INFINITY, what, fields }: BulkBounds,
): void {
  const refuse = (code: string, message: string) =>
    issues.addIssue({ code: "custom", message, params: { code } });
  const items = names.length + others;
  if (items === 0) refuse("MISSING_PARAMETER", `${fields} is required, with at least one item.`);
  if (items > maxItems) {
    refuse("LIMIT_EXCEEDED", `At most ${maxItems} ${what}; this request has ${items}.`);
    return;
  }
  const labels = names.reduce((sum, name) => sum + name.split(".").length, 0);
  if (labels > maxLabels) {
    const given = `At most ${maxLabels} labels in all names together; this request has ${labels}.`;
    refuse("LIMIT_EXCEEDED", `${given} Send fewer names at once.`);
  }
}

/** An item of a bulk request, or its error if it is invalid. */
export function parseOr<Item, Invalid>(
  text: string,
  parse: (text: string) => Item,
  toInvalid: (text: string, error: ApiError) => Invalid,
): Item | Invalid {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return toInvalid(text, error);
  }
}
