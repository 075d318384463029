import ipaddr from "ipaddr.js";

/** The part of IPv6 that is assigned to the public internet. */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR("2000::/3");

/** Public by its range, but a service of the host for machines in a cloud (Azure). */
const HOST_SERVICES = ["168.63.129.16"];

/** An IPv4 address written as IPv6 (::ffff:127.0.0.1) counts as IPv4. */
const rangeOf = (address: string): string => ipaddr.process(address).range();

/** True for addresses of the public internet: not private, loopback, link-local (metadata services), reserved or tunnelled. */
export function isPublic(text: string): boolean {
  const address = ipaddr.process(text);
  if (address.range() !== "unicast" || HOST_SERVICES.includes(address.toString())) return false;
  return address instanceof ipaddr.IPv4 || address.match(GLOBAL_IPV6);
}

export const isLoopback = (address: string): boolean => rangeOf(address) === "loopback";

/** The address in a URL that has one instead of a host name. */
export function literalOf(url: URL): string | null {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  return ipaddr.isValid(host) ? host : null;
}
