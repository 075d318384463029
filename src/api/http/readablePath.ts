import type { MiddlewareHandler } from "hono";
import { ApiError } from "../errors/errors.ts";

/**
 * Refuses a path whose percent-encoding is no UTF-8 (`%FF`, a lone `%`): the router would read it as the text `%FF`, and
 * answer about another name than the caller's.
 */
export const requireReadablePath: MiddlewareHandler = async (c, next) => {
  const { url } = c.req;
  const begin = url.indexOf("/", url.indexOf("://") + 3);
  const path = begin < 0 ? "/" : (url.slice(begin).split(/[?#]/, 1)[0] ?? "/");
  if (path.includes("%") && !isDecodable(path)) {
    throw new ApiError("INVALID_PARAMETER", "The percent-encoding of the path is no UTF-8.");
  }
  await next();
};

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}
