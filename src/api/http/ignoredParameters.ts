import type { Context } from "hono";
import type { Endpoint } from "./endpoint.ts";

/** Names in one header; a caller who sends more learns enough from these. */
const MAX_NAMES = 10;
/** Longer than the name of any parameter. */
const MAX_NAME_LENGTH = 64;

/**
 * The header that names parameters which the operation does not have. They are ignored, and without this a misspelt
 * filter would go unnoticed. The names are percent-encoded, because the caller wrote them.
 */
export function ignoredParameters(c: Context, { query }: Endpoint): Record<string, string> {
  const unknown = Object.keys(c.req.query()).filter((name) => !Object.hasOwn(query.shape, name));
  if (unknown.length === 0) return {};
  const names = unknown
    .slice(0, MAX_NAMES)
    .map((name) => encodeURIComponent(name.slice(0, MAX_NAME_LENGTH).toWellFormed()));
  return { "X-Ignored-Parameters": names.join(", ") };
}
