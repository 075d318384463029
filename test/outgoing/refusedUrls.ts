import type { lookup as dnsLookup } from "node:dns";

export const onlyHttps = "only https: is allowed";
const notPublic = "is not at a public address, so it is not asked";
const literal = (host: string) => [`https://${host}:PORT/`, notPublic] as const;
/** URLs that no stranger may have requested, with the reason. `PORT` stands for that of a server on this machine. */
export const refusedUrls: readonly (readonly [url: string, because: string])[] = [
  ["http://example.org/", onlyHttps],
  ["http://127.0.0.1:PORT/", onlyHttps],
  ["file:///etc/passwd", onlyHttps],
  ["data:application/json,{}", onlyHttps],
  ["ftp://example.org/", onlyHttps],
  ["https://me:secret@example.org/", "contains a user name"],
  literal("127.0.0.1"),
  literal("127.1"),
  literal("0x7f000001"),
  literal("2130706433"),
  literal("0177.0.0.1"),
  literal("%31%32%37.0.0.1"),
  literal("127.0.0.1."),
  literal("0.0.0.0"),
  literal("[::1]"),
  literal("[::]"),
  literal("[::ffff:127.0.0.1]"),
  literal("[::ffff:7f00:1]"),
  literal("[::127.0.0.1]"),
  literal("[64:ff9b::7f00:1]"),
  literal("[64:ff9b:1::7f00:1]"),
  literal("[2002:7f00:1::]"),
  literal("[fe80::1]"),
  literal("[fec0::1]"),
  literal("[fd00:ec2::254]"),
  literal("10.0.0.1"),
  literal("172.16.0.1"),
  literal("192.168.1.1"),
  literal("100.64.0.1"),
  literal("100.100.100.200"),
  literal("169.254.169.254"),
  literal("[::ffff:169.254.169.254]"),
  literal("168.63.129.16"),
  literal("192.0.0.192"),
  literal("224.0.0.1"),
  literal("255.255.255.255"),
];

/** Resolves every host name to these addresses, like a name server under a stranger's control. */
export const resolving = (...addresses: string[]) =>
  ((_host: string, _options: unknown, callback: (error: null, found: unknown) => void) =>
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
    )) as unknown as typeof dnsLookup;
