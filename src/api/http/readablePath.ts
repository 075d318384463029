import type { MiddlewareHandler } from "hono";
import { ApiError, type ErrorCode } from "../errors/errors.ts";
import type { Endpoint } from "./endpoint.ts";
import { matches, ownErrorOf, partsOf, requestedParts } from "./paths.ts";

/**
 * Refuses a path whose percent-encoding is no UTF-8 (`%FF`, a lone `%`): the router would read it as the text `%FF`, and
 * answer about another name than the caller's.
 */
export const requireReadablePath =
  (operations: readonly Endpoint[]): MiddlewareHandler =>
  async (c, next) => {
    const { url } = c.req;
    const begin = url.indexOf("/", url.indexOf("://") + 3);
    const path = begin < 0 ? "/" : (url.slice(begin).split(/[?#]/, 1)[0] ?? "/");
    if (path.includes("%") && !isDecodable(path)) {
      const code = codeFor(operations, requestedParts(path));
      throw new ApiError(code, "The percent-encoding of the path is no UTF-8.");
    }
    await next();
  };

/** The code of the first parameter that cannot be read: a name has its own, as where it cannot be normalised. */
function codeFor(operations: readonly Endpoint[], requested: readonly string[]): ErrorCode {
  const operation = operations.find(({ path }) => matches(partsOf(path), requested));
  const at = requested.findIndex((part) => !isDecodable(part));
  const name = operation && partsOf(operation.path)[at]?.slice(1, -1);
  return (name && ownErrorOf(operation, name, requested[at] ?? "")?.code) || "INVALID_PARAMETER";
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}
