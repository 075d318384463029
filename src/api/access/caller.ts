import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";
import ipaddr from "ipaddr.js";
import type { Caller } from "./access.ts";

/** Address of requests without a connection, which are made inside the process. */
const NO_ADDRESS = "0.0.0.0";

/**
 * The caller of a request that came through this number of the operator's own proxies. Each proxy appends the address it
 * saw to `X-Forwarded-For`. Only these last entries are trusted: the ones before may be the client's invention.
 */
export function callerBehind(trustedProxies: number): (c: Context) => Caller {
  return (c) => {
    const { incoming } = (c.env ?? {}) as Partial<HttpBindings>;
    const seen = (c.req.header("x-forwarded-for") ?? "").split(",").map((address) => address.trim());
    const trusted = trustedProxies > 0 ? seen.at(-trustedProxies) : undefined;
    const address = parseAddress(trusted) ?? parseAddress(incoming?.socket.remoteAddress) ?? NO_ADDRESS;
    return { address, header: (name) => c.req.header(name) };
  };
}

/** IPv4 addresses in their own form, even if they arrive as `::ffff:192.0.2.1`. */
function parseAddress(text: string | undefined): string | undefined {
  return text !== undefined && ipaddr.isValid(text) ? ipaddr.process(text).toString() : undefined;
}

/**
 * Whose share of common resources a caller uses: that of its key, where keys are checked before anything is done; else
 * that of its network. A client with one IPv6 address usually has a network of 2^64.
 */
export function shareOf({ address, header }: Caller, access: "open" | "metered"): string {
  const key = access === "metered" ? header("x-api-key") : undefined;
  return key === undefined ? networkOf(address) : `key ${key}`;
}

/** An IPv4 address as it is, the network of an IPv6 address. */
export function networkOf(address: string): string {
  const parsed = ipaddr.parse(address);
  if (!(parsed instanceof ipaddr.IPv6)) return address;
  return `${new ipaddr.IPv6([...parsed.parts.slice(0, 4), 0, 0, 0, 0]).toString()}/64`;
}

/** True for callers on the machine of the server itself. */
export const isLoopback = (address: string): boolean =>
  ipaddr.isValid(address) && ipaddr.process(address).range() === "loopback";
