import type { z } from "@hono/zod-openapi";
import type { ApiError } from "../errors/errors.ts";
import type { Endpoint } from "./endpoint.ts";
import { inputError } from "./inputError.ts";

export const partsOf = (path: string): string[] => path.split("/").slice(1);

/** The parts of a request's path, without the prefix under which every operation stands, too. */
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

/** What a parameter says of a value that is not valid, if it has a code of its own: a name, for example, INVALID_NAME. */
export function ownErrorOf({ params }: Endpoint, name: string, value: string): ApiError | null {
  const checked = params.shape[name]?.safeParse(value);
  const error = checked?.error ? inputError(checked.error as z.ZodError, value) : null;
  return error?.code === "INVALID_PARAMETER" ? null : error;
}
