import { gzipSync, zstdCompressSync } from "node:zlib";
import { keccak256 } from "viem";

/** Label tables as their makers write them, produced by other code than the reader. */

const bytesOf = (text: string | Uint8Array): Buffer =>
  typeof text === "string" ? Buffer.from(text) : Buffer.from(text);

export const hashOf = (text: string | Uint8Array): string => keccak256(bytesOf(text)).slice(2);

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  do {
    bytes.push((rest % 128) + (rest >= 128 ? 128 : 0));
    rest = Math.floor(rest / 128);
  } while (rest > 0);
  return Buffer.from(bytes);
}

const field = (number: number, bytes: Uint8Array): Buffer =>
  Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes]);
const numberField = (number: number, value: number): Buffer =>
  Buffer.concat([varint(number * 8), varint(value)]);
const message = (...fields: Buffer[]): Buffer => {
  const bytes = Buffer.concat(fields);
  return Buffer.concat([varint(bytes.length), bytes]);
};

/** A label, and its hash unless another one is stated. */
export type Entry = { label: string | Uint8Array; hash?: string };

/** The beginning of an ENSRainbow file. */
export const ensrainbowHead = (id: string, version: number): Buffer =>
  message(
    field(1, Buffer.from("ensrainbow")),
    numberField(2, 1),
    field(3, Buffer.from(id)),
    numberField(4, version),
  );

export const ensrainbowRecord = ({ label, hash = hashOf(label) }: Entry): Buffer =>
  message(field(1, Buffer.from(hash, "hex")), field(2, bytesOf(label)));

export const ensrainbow = (id: string, version: number, entries: readonly Entry[]): Buffer =>
  Buffer.concat([ensrainbowHead(id, version), ...entries.map(ensrainbowRecord)]);

const escaped = (text: string): string =>
  text.replace(/[\\\t\n\r\b\f\v]/g, (one) => {
    const letter = { "\\": "\\", "\t": "t", "\n": "n", "\r": "r", "\b": "b", "\f": "f", "\v": "v" }[one];
    return `\\${letter}`;
  });

type TextEntry = Entry & { label: string };

/** The beginning and end of a dump of `ens_names`. */
export const sqlHead = [
  "--\n-- PostgreSQL database dump\n--\n\nSET client_encoding = 'UTF8';",
  "CREATE TABLE public.ens_names (hash character varying, name character varying);",
  "COPY public.ens_names (hash, name) FROM stdin;\n",
].join("\n");
export const sqlTail =
  "\\.\n\nALTER TABLE ONLY public.ens_names ADD CONSTRAINT ens_names_pkey PRIMARY KEY (hash);\n";

export const sqlRow = ({ label, hash = hashOf(label) }: TextEntry): string =>
  `0x${hash}\t${escaped(label)}\n`;

export const sqlDump = (entries: readonly TextEntry[]): Buffer =>
  Buffer.from([sqlHead, ...entries.map(sqlRow), "hash\tname\n", sqlTail].join(""));

export const csvHead = "hash,label\n";

export const csvRow = ({ label, hash = hashOf(label) }: TextEntry): string => `0x${hash},${label}\n`;

export const csvOf = (entries: readonly TextEntry[]): Buffer =>
  Buffer.from([csvHead, ...entries.map(csvRow)].join(""));

export const listOf = (labels: readonly string[]): Buffer => Buffer.from(`${labels.join("\n")}\n`);

export const packed = { gzip: gzipSync, zstd: zstdCompressSync };
