import ipaddr from "ipaddr.js";
import { LRUCache } from "lru-cache";

/** What a request says of the address it comes from. */
export type Origin = {
  /** `X-Forwarded-For`. Each proxy appends the address it saw. */
  forwardedFor: string | undefined;
  /** Address of the connection. */
  connection: string | undefined;
};

/** Address of requests without a connection, which are made inside the process. */
const NO_ADDRESS = "0.0.0.0";

/**
 * The address of a client behind this number of the operator's own proxies. Only the entries that these proxies wrote are
 * trusted, the last ones: those before may be the client's invention.
 */
export function clientAddress({ forwardedFor = "", connection }: Origin, trustedProxies: number): string {
  const seen = forwardedFor.split(",").map((address) => address.trim());
  const trusted = trustedProxies > 0 ? seen.at(-trustedProxies) : undefined;
  return parseAddress(trusted) ?? parseAddress(connection) ?? NO_ADDRESS;
}

/** Addresses that are remembered: those that asked last. Reading one takes longer than many a request, and each request has some. */
const REMEMBERED = 10_000;

/** Longer than any address: anything longer in a header is not remembered. */
const LONGEST = 64;

/** Memoizes a function of an address. */
function remembering<Result extends string>(read: (text: string) => Result): (text: string) => Result {
  const known = new LRUCache<string, Result>({ max: REMEMBERED });
  return (text) => {
    if (text.length > LONGEST) return read(text);
    const found = known.get(text);
    if (found !== undefined) return found;
    const result = read(text);
    known.set(text, result);
    return result;
  };
}

/** IPv4 addresses in IPv4 form, even if they arrive as `::ffff:192.0.2.1`; empty for anything else. */
const ownForm = remembering((text) => (ipaddr.isValid(text) ? ipaddr.process(text).toString() : ""));

const parseAddress = (text: string | undefined): string | undefined => (text && ownForm(text)) || undefined;

/** A client with one IPv6 address usually has a network of 2^64, so limits are by network. */
export const networkOf = remembering((address) => {
  const parsed = ipaddr.parse(address);
  if (!(parsed instanceof ipaddr.IPv6)) return address;
  return `${new ipaddr.IPv6([...parsed.parts.slice(0, 4), 0, 0, 0, 0]).toString()}/64`;
});

/** True for clients on the machine of the server itself. */
export const isLoopback = (address: string): boolean =>
  ipaddr.isValid(address) && ipaddr.process(address).range() === "loopback";
