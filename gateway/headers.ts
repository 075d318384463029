import type { IncomingHttpHeaders, IncomingMessage } from "node:http";

type Headers = Record<string, string | string[]>;

/** Headers of one connection, which end where it ends. Source: RFC 9110, 7.6.1. */
const hopByHop = new Set([
  ...["connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection"],
  ...["te", "trailer", "transfer-encoding", "upgrade"],
]);

/** Words by which a proxy speaks of the caller; from anybody else they are forged. */
const isOfProxies = (name: string): boolean =>
  name.startsWith("x-forwarded-") || name === "forwarded" || name === "x-real-ip";

/** What `Connection` names belongs to the connection too. */
function endToEnd(headers: IncomingHttpHeaders): [string, string | string[]][] {
  const named = String(headers.connection ?? "")
    .toLowerCase()
    .split(",")
    .map((name) => name.trim());
  return Object.entries(headers).flatMap(([name, value]) =>
    value === undefined || hopByHop.has(name) || named.includes(name) ? [] : [[name, value]],
  );
}

/**
 * Headers of a request as the indexer gets them. `X-Forwarded-For` ends with the address that the gateway saw, behind as
 * many entries as there are trusted proxies before it: the indexer believes the last of one more (`TRUSTED_PROXIES`).
 */
export function requestHeaders(request: IncomingMessage, trustedProxies: number): Headers {
  const kept = endToEnd(request.headers).filter(([name]) => !isOfProxies(name) && name !== "expect");
  const headers: Headers = Object.fromEntries(kept);
  const given = String(request.headers["x-forwarded-for"] ?? "").split(",");
  const believed = trustedProxies === 0 ? [] : given.slice(-trustedProxies).map((address) => address.trim());
  const seen = [...believed, request.socket.remoteAddress ?? ""].filter((address) => address !== "");
  headers["x-forwarded-for"] = seen.join(", ");
  const proto = trustedProxies === 0 ? undefined : request.headers["x-forwarded-proto"];
  headers["x-forwarded-proto"] = proto ?? "http";
  return headers;
}

/** Headers of an answer as the caller gets them. */
export const replyHeaders = (headers: IncomingHttpHeaders): Headers => Object.fromEntries(endToEnd(headers));
