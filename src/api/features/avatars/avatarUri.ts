import type { Address } from "viem";
import { MAX_BYTES, MAX_URI } from "./bounds.ts";

/** A token with a picture, as CAIP-22 and CAIP-29 write it. */
export type Token = { chainId: number; standard: "erc721" | "erc1155"; contract: Address; id: bigint };

/** Where an avatar is: in the record itself, at a host, on IPFS, or a token whose description names it. */
export type Source =
  | { kind: "content"; content: Uint8Array }
  | { kind: "url"; url: URL }
  | { kind: "ipfs"; path: string }
  | { kind: "token"; token: Token };

/**
 * Reads an avatar record, or a token's `image`. Null if ENSIP-12 does not cover it, or if it is too long.
 *
 * @example
 * readSource("ipfs://bafy…/1.png"); // { kind: "ipfs", path: "ipfs/bafy…/1.png" }
 */
export function readSource(text: string): Source | null {
  if (/^data:/i.test(text)) return readData(text);
  if (text.length > MAX_URI) return null;
  if (/^eip155:/i.test(text)) return readToken(text);
  const ipfs = /^ip([fn])s:\/\/(?:ip[fn]s\/)?(.+)$/i.exec(text);
  if (ipfs !== null) return readIpfs(`ip${ipfs[1]?.toLowerCase()}s`, ipfs[2] ?? "");
  return URL.canParse(text) && /^https?:/i.test(text) ? { kind: "url", url: new URL(text) } : null;
}

/** The parameters before the comma; the type among them counts for nothing. */
const DATA = /^data:([^,]{0,200}),/i;

/** Text in base64 takes four characters for three bytes, and text in percents three for one. */
const MAX_DATA = MAX_BYTES * 3;

function readData(text: string): Source | null {
  const head = DATA.exec(text);
  if (head === null || text.length > MAX_DATA) return null;
  const body = text.slice(head[0].length);
  const content = /;\s*base64\s*$/i.test(head[1] ?? "") ? Buffer.from(body, "base64") : fromPercents(body);
  return content.length > MAX_BYTES ? null : { kind: "content", content };
}

const PERCENT = 0x25;

/** Each `%2E` is a byte; the rest is text. */
function fromPercents(text: string): Buffer {
  const bytes = Buffer.from(text);
  let end = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    const value = byte === PERCENT ? digitOf(bytes[at + 1]) * 16 + digitOf(bytes[at + 2]) : Number.NaN;
    const isEscape = !Number.isNaN(value);
    bytes[end++] = isEscape ? value : byte;
    if (isEscape) at += 2;
  }
  return bytes.subarray(0, end);
}

/** The value of a hexadecimal digit's character code. No string is created: a megabyte of `%` would take a second. */
function digitOf(character = 0): number {
  if (character >= 0x30 && character <= 0x39) return character - 0x30;
  const small = character | 0x20;
  return small >= 0x61 && small <= 0x66 ? small - 0x57 : Number.NaN;
}

const TOKEN = /^eip155:(\d{1,15})\/(erc721|erc1155):(0x[0-9a-f]{40})\/(\d{1,78})$/i;

function readToken(text: string): Source | null {
  const [, chainId, standard, contract, id] = TOKEN.exec(text) ?? [];
  if (id === undefined || BigInt(id) >= 2n ** 256n) return null;
  return {
    kind: "token",
    token: {
      chainId: Number(chainId),
      standard: standard?.toLowerCase() as Token["standard"],
      contract: contract?.toLowerCase() as Address,
      id: BigInt(id),
    },
  };
}

/** A content id, or a name of IPNS. */
const ROOT = /^[a-z0-9][a-z0-9.-]{0,127}$/i;

/** A path for the operator's gateway, in which no part leads upwards. */
function readIpfs(scheme: string, rest: string): Source | null {
  const parts = (rest.split(/[?#]/)[0] ?? "").split("/").filter((part) => part !== "");
  const [root, ...below] = parts.map(decoded);
  if (
    root == null ||
    !ROOT.test(root) ||
    below.some((part) => part === null || /^\.{1,2}$|[/\\\0]/.test(part))
  )
    return null;
  const path = [scheme, root, ...below.map((part) => encodeURIComponent(part ?? ""))].join("/");
  return { kind: "ipfs", path };
}

function decoded(part: string): string | null {
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}
