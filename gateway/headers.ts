import type { IncomingHttpHeaders, IncomingMessage } from "node:http";

/** Names and values in turn, as Node and undici take them without a copy. */
export type Headers = string[];

/** Headers of one connection, which end where it ends. Source: RFC 9110, 7.6.1. */
const hopByHop = new Set([
  ...["connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection"],
  ...["te", "trailer", "transfer-encoding", "upgrade"],
]);

/** Words by which a proxy speaks of the caller; from anybody else they are forged. */
const isOfProxies = (name: string): boolean =>
  name.startsWith("x-forwarded-") || name === "forwarded" || name === "x-real-ip";

/** What goes further than this connection. What `Connection` names belongs to the connection too. */
function endToEnd(headers: IncomingHttpHeaders, isKept: (name: string) => boolean): Headers {
  const named = (headers.connection ?? "").split(",").map((name) => name.trim().toLowerCase());
  const kept: Headers = [];
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || hopByHop.has(name) || named.includes(name) || !isKept(name)) continue;
    if (typeof value === "string") kept.push(name, value);
    else for (const one of value) kept.push(name, one);
  }
  return kept;
}

/**
 * Headers of a request as the indexer gets them. `X-Forwarded-For` ends with the address that the gateway saw, behind as
 * many entries as there are trusted proxies before it: the indexer believes the last of one more (`TRUSTED_PROXIES`).
 */
export function requestHeaders({ headers, socket }: IncomingMessage, trustedProxies: number): Headers {
  const given = String(headers["x-forwarded-for"] ?? "").split(",");
  const believed = trustedProxies === 0 ? [] : given.slice(-trustedProxies).map((address) => address.trim());
  const seen = [...believed, socket.remoteAddress ?? ""].filter((address) => address !== "");
  const proto = trustedProxies === 0 ? undefined : headers["x-forwarded-proto"];
  const kept = endToEnd(headers, (name) => !isOfProxies(name) && name !== "expect");
  kept.push("x-forwarded-for", seen.join(", "), "x-forwarded-proto", String(proto ?? "http"));
  return kept;
}

/** Headers of an answer as the caller gets them. */
export const replyHeaders = (headers: IncomingHttpHeaders): Headers => endToEnd(headers, () => true);
