import type { IncomingHttpHeaders, IncomingMessage } from "node:http";

/** Names and values in turn, a form that Node and undici accept without copying. */
export type Headers = string[];

/** Headers that belong to one connection and are not forwarded. Source: RFC 9110, 7.6.1. */
const hopByHop = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Headers in which proxies describe the caller. From anyone else they are forged. */
const isOfProxies = (name: string): boolean =>
  name.startsWith("x-forwarded-") || name === "forwarded" || name === "x-real-ip";

/** The headers to forward. Those that `Connection` names belong to this connection too. */
function endToEnd(headers: IncomingHttpHeaders, isForwarded: (name: string) => boolean): Headers {
  const named = (headers.connection ?? "").split(",").map((name) => name.trim().toLowerCase());
  const forwarded: Headers = [];
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || hopByHop.has(name) || named.includes(name) || !isForwarded(name)) continue;
    if (typeof value === "string") forwarded.push(name, value);
    else for (const one of value) forwarded.push(name, one);
  }
  return forwarded;
}

/**
 * Headers of a request for the indexer. `X-Forwarded-For` has one entry for each trusted proxy before the gateway, then
 * the address that the gateway saw. So the indexer's `TRUSTED_PROXIES` is the gateway's plus one.
 */
export function requestHeaders({ headers, socket }: IncomingMessage, trustedProxies: number): Headers {
  const given = String(headers["x-forwarded-for"] ?? "").split(",");
  const trusted = trustedProxies === 0 ? [] : given.slice(-trustedProxies).map((address) => address.trim());
  const seen = [...trusted, socket.remoteAddress ?? ""].filter((address) => address !== "");
  const proto = trustedProxies === 0 ? undefined : headers["x-forwarded-proto"];
  const forwarded = endToEnd(headers, (name) => !isOfProxies(name) && name !== "expect");
  forwarded.push("x-forwarded-for", seen.join(", "), "x-forwarded-proto", String(proto ?? "http"));
  return forwarded;
}

/** Headers of an answer for the caller. */
export const replyHeaders = (headers: IncomingHttpHeaders): Headers => endToEnd(headers, () => true);
