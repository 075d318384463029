import type { IncomingMessage } from "node:http";
import { ApiError } from "../../src/api/server/errors/errors.ts";

/** Methods that are forwarded. Others have no meaning here, and TRACE would show a caller what proxies added. */
const methods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** What operations of the API can be asked with. */
export const ALLOWED = "GET, HEAD, POST, PATCH, DELETE, OPTIONS";

/**
 * Path and query that a request asks for. Clients of proxies send a whole address (`GET http://host/path`), which every
 * server has to accept. Source: RFC 9112, 3.2.
 *
 * @throws ApiError METHOD_NOT_ALLOWED or INVALID_PARAMETER
 */
export function targetOf({ method = "", url = "", headers, httpVersion }: IncomingMessage): string {
  if (!methods.has(method)) throw methodNotAllowed(method);
  if (headers.host === undefined && httpVersion === "1.1") {
    throw new ApiError("INVALID_PARAMETER", "Send exactly one Host header.");
  }
  if (url.startsWith("/")) return url;
  const [, path] = url.match(/^https?:\/\/[^/?#]+(.*)$/i) ?? [];
  if (path === undefined) throw new ApiError("INVALID_PARAMETER", "The request target must be a path.");
  return path.startsWith("/") ? path : `/${path}`;
}

export const methodNotAllowed = (method: string): ApiError =>
  new ApiError("METHOD_NOT_ALLOWED", `${method} is not allowed here; allowed: ${ALLOWED}.`, {
    headers: { Allow: ALLOWED },
  });

/**
 * Refuses the metrics of indexers, which are the operator's, however their path is written: an indexer decodes it.
 *
 * @throws ApiError NOT_FOUND
 */
export function refuseMetrics(target: string): void {
  const path = target.split(/[?#]/, 1)[0] ?? "";
  const plain = new URL(`http://indexer${decoded(path).replaceAll(/[?#]/g, "_")}`).pathname.replaceAll(
    /\/+/g,
    "/",
  );
  if (!/^\/(api\/)?(index-)?metrics\/?$/i.test(plain)) return;
  throw new ApiError("NOT_FOUND", "The gateway does not forward indexers' metrics.");
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
