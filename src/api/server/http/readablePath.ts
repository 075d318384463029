import type { Context, MiddlewareHandler } from "hono";
import { ApiError, type ErrorCode } from "../errors/errors.ts";
import type { Endpoint } from "./endpoint.ts";
import { matches, ownErrorOf, partsOf, requestedParts } from "./paths.ts";

/** A part with a special meaning: `.` or `..`, also percent-encoded. Source: the URL standard. */
const DOT_SEGMENT = /\/(?:\.|%2e){1,2}(?:[/?#]|$)/i;

/** The target as it was sent: the URL of a request has its dot segments resolved. */
const sentTarget = (c: Context): string => (c.env as { incoming?: { url?: string } })?.incoming?.url ?? "";

/**
 * Refuses a path whose percent-encoding is no UTF-8 (`%FF`, a lone `%`), or that has dot segments: the router would read
 * another path, and answer about another name or key than the caller's.
 */
export const requireReadablePath =
  (operations: readonly Endpoint[]): MiddlewareHandler =>
  async (c, next) => {
    if (DOT_SEGMENT.test(sentTarget(c).split("?", 1)[0] ?? "")) {
      throw new ApiError("INVALID_PARAMETER", "No part of a path can be `.` or `..`.");
    }
    const { url } = c.req;
    const begin = url.indexOf("/", url.indexOf("://") + 3);
    const path = begin < 0 ? "/" : (url.slice(begin).split(/[?#]/, 1)[0] ?? "/");
    if (path.includes("%") && !isDecodable(path)) {
      const code = codeFor(operations, requestedParts(path));
      throw new ApiError(code, "The percent-encoding of the path is not valid UTF-8.");
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
