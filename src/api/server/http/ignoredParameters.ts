import type { Context } from "hono";
import { input } from "../../names/schemas/input.ts";
import { ApiError } from "../errors/errors.ts";
import type { Endpoint } from "./endpoint.ts";

/** Names in one header or error; a caller who sends more learns enough from these. */
const MAX_NAMES = 10;
/** Longer than the name of any parameter. */
const MAX_NAME_LENGTH = 64;

/** What every operation takes besides its own parameters. */
export const common = {
  strict: input.flag(
    "strict",
    "`true`: a parameter that the operation does not have is an error. Without it `X-Ignored-Parameters` names it",
  ),
};

/**
 * The header that names parameters which the operation does not have. They are ignored, and without this a misspelt
 * filter would go unnoticed. The names are percent-encoded, because the caller wrote them.
 *
 * @throws ApiError INVALID_PARAMETER if there are any, and the caller asks for `strict`
 */
export function ignoredParameters(
  c: Context,
  { query }: Endpoint,
  { strict }: { strict: boolean },
): Record<string, string> {
  const unknown = Object.keys(c.req.query()).filter(
    (name) => !Object.hasOwn(query.shape, name) && !Object.hasOwn(common, name),
  );
  if (unknown.length === 0) return {};
  const names = unknown
    .slice(0, MAX_NAMES)
    .map((name) => encodeURIComponent(name.slice(0, MAX_NAME_LENGTH).toWellFormed()))
    .join(", ");
  if (strict) {
    throw new ApiError("INVALID_PARAMETER", `This operation does not have these parameters: ${names}.`);
  }
  return { "X-Ignored-Parameters": names };
}
