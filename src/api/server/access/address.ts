import ipaddr from "ipaddr.js";

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

/** IPv4 addresses in IPv4 form, even if they arrive as `::ffff:192.0.2.1`; undefined for anything else. */
const parseAddress = (text = ""): string | undefined =>
  ipaddr.isValid(text) ? ipaddr.process(text).toString() : undefined;

/** A client with one IPv6 address usually has a network of 2^64, so limits are by network. */
export function networkOf(address: string): string {
  const parsed = ipaddr.parse(address);
  if (!(parsed instanceof ipaddr.IPv6)) return address;
  return `${new ipaddr.IPv6([...parsed.parts.slice(0, 4), 0, 0, 0, 0]).toString()}/64`;
}

/** True for clients on the machine of the server itself. */
export const isLoopback = (address: string): boolean =>
  ipaddr.isValid(address) && ipaddr.process(address).range() === "loopback";
