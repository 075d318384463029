import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";
import ipaddr from "ipaddr.js";
import type { Caller } from "./access.ts";

/** Where no connection is known (a request that was made inside the process). */
const NOWHERE = "0.0.0.0";

/**
 * Who sent a request that came through so many proxies of the operator's own. Each of them appends the address that it
 * saw to `X-Forwarded-For`, so that only the last ones can be believed: whatever the client wrote stands before them.
 */
export function callerBehind(trustedProxies: number): (c: Context) => Caller {
  return (c) => {
    const { incoming } = (c.env ?? {}) as Partial<HttpBindings>;
    const seen = (c.req.header("x-forwarded-for") ?? "").split(",").map((address) => address.trim());
    const believed = trustedProxies > 0 ? seen.at(-trustedProxies) : undefined;
    const address = parseAddress(believed) ?? parseAddress(incoming?.socket.remoteAddress) ?? NOWHERE;
    return { address, header: (name) => c.req.header(name) };
  };
}

/** IPv4 in its own form, also where it arrives as `::ffff:192.0.2.1`. */
function parseAddress(text: string | undefined): string | undefined {
  return text !== undefined && ipaddr.isValid(text) ? ipaddr.process(text).toString() : undefined;
}

/** True for callers on the machine of the server itself. */
export const isLoopback = (address: string): boolean =>
  ipaddr.isValid(address) && ipaddr.process(address).range() === "loopback";
