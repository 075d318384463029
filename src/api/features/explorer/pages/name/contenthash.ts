const ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";

/** Longest contenthash that is read; no content address is as long. */
const MAX_LENGTH = 512;

/** Protocols by the first bytes, as multicodec has them. Source: ENSIP-7. */
const protocols: readonly [prefix: string, scheme: string][] = [
  ["0xe301", "ipfs"],
  ["0xe501", "ipns"],
];

/**
 * An IPNS key that is text instead of a hash: CID version 1, libp2p-key, identity, its length. Source: multiformats.
 */
const IPNS_TEXT = /^0xe501017200([0-7][0-9a-f])([0-9a-f]+)$/;

/** The DNSLink domain in place of a key; null for a key. */
function dnsLinkIn(bytes: string): string | null {
  const [, length = "", hex = ""] = IPNS_TEXT.exec(bytes) ?? [];
  const name = Buffer.from(hex, "hex").toString("latin1");
  const isName = /^(?=.*\.)[a-z0-9_-]+(\.[a-z0-9_-]+)*$/i.test(name);
  return isName && name.length === Number.parseInt(length, 16) ? name : null;
}

/** The address of content on IPFS and IPNS (as a CID of version 1, or a name of DNSLink) or Swarm; null for everything else. */
export function contentUri(bytes: string): string | null {
  if (bytes.length > MAX_LENGTH) return null;
  if (bytes.startsWith("0xe40101fa011b20")) return `bzz://${bytes.slice(16)}`;
  const dnsLink = dnsLinkIn(bytes);
  if (dnsLink !== null) return `ipns://${dnsLink}`;
  const [prefix, scheme] = protocols.find(([prefix]) => bytes.startsWith(prefix)) ?? [];
  if (prefix === undefined) return null;
  const cid = Buffer.from(bytes.slice(prefix.length), "hex");
  return cid[0] === 1 ? `${scheme}://b${base32(cid)}` : null;
}

/** RFC 4648 in lower case, without padding: five bits for each sign. */
function base32(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  const groups = bits.match(/.{1,5}/g) ?? [];
  return groups.map((group) => ALPHABET[Number.parseInt(group.padEnd(5, "0"), 2)]).join("");
}
