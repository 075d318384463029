import type { z } from "@hono/zod-openapi";
import type { ApiError } from "../errors/errors.ts";
import type { Endpoint } from "./endpoint.ts";
import { inputError } from "./readInput.ts";

export const partsOf = (path: string): string[] => path.split("/").slice(1);

/** The parts of a request's path, without the prefix that every operation also has. */
export const requestedParts = (path: string): string[] => partsOf(path.replace(/^\/api(?=\/|$)/, "") || "/");

/** Whether a request's path has the form of a route's. */
export const matches = (parts: readonly string[], requested: readonly string[]): boolean =>
  parts.length === requested.length && parts.every((part, i) => /^[{:]/.test(part) || part === requested[i]);

/** What stands before a name in the paths of operations. */
export const namePrefixesOf = (operations: readonly Endpoint[]): readonly string[] => [
  ...new Set(
    operations.flatMap(({ path }) => (path.includes("{name}") ? [path.split("{name}", 1)[0] ?? ""] : [])),
  ),
];

/** A parameter's own error for an invalid value, if it has one: INVALID_NAME for a name. */
export function ownErrorOf({ params }: Endpoint, name: string, value: string): ApiError | null {
  const checked = params.shape[name]?.safeParse(value);
  const error = checked?.error ? inputError(checked.error as z.ZodError, value) : null;
  return error?.code === "INVALID_PARAMETER" ? null : error;
}
