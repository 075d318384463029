import { createHash } from "node:crypto";
import { ApiError } from "../../server/errors/errors.ts";
import type { KeyKind, Position } from "../query/keyset.ts";

/*
 * A cursor is the position of a page's last row, with a mark of the list that it belongs to. It is not signed: it says
 * "the rows of this list after these values", which any caller may ask for. So it needs no secret that processes would have to
 * share, and it outlives a restart. Its contents are untrusted input: their length is bounded, and each value is
 * parsed as the kind of its key and reaches SQL as a parameter.
 *
 * Its bytes: the form, the mark, a checksum by which a cut or mistyped cursor is told from that of another list, and the
 * values. A value is `=` and its text, `-` stands for null; NUL, which no text of PostgreSQL can hold, is between them.
 */

/** A list: its operation, and what decides its rows and their order. */
export type ListOf = { operation: string; input: Record<string, unknown> };

/** More than the longest name takes, of 1,024 bytes, with the other keys of a list. */
export const MAX_CURSOR = 2_048;

const FORM = 1;
const MARK_BYTES = 6;
const SUM_BYTES = 4;
const HEAD_BYTES = 1 + MARK_BYTES + SUM_BYTES;

/** Parameters that choose a page or the fields of an item, and neither rows nor their order. */
const notOfTheList = new Set(["page", "cursor", "page_size", "total", "include", "partial", "strict"]);

const digest = (text: string | Uint8Array, bytes: number): Buffer =>
  createHash("sha256").update(text).digest().subarray(0, bytes);

/** A name is the same one however it was written. */
const canonical = (_: string, value: unknown): unknown => {
  if (typeof value === "bigint") return `${value}n`;
  const isParsedName = typeof value === "object" && value !== null && "query" in value && "node" in value;
  return isParsedName ? value.node : value;
};

function markOf({ operation, input }: ListOf): Buffer {
  const given = Object.entries(input)
    .filter(([name, value]) => value !== undefined && !notOfTheList.has(name))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return digest(JSON.stringify([operation, given], canonical), MARK_BYTES);
}

/** The cursor of the page that begins after a row. */
export function writeCursor(list: ListOf, position: Position): string {
  const values = position.map((value) => (value === null ? "-" : `=${value}`)).join("\0");
  const payload = Buffer.from(values, "utf8");
  const mark = markOf(list);
  const sum = digest(Buffer.concat([mark, payload]), SUM_BYTES);
  return Buffer.concat([Buffer.of(FORM), mark, sum, payload]).toString("base64url");
}

/**
 * The position in a cursor.
 *
 * @throws ApiError INVALID_PARAMETER
 */
export function readCursor(list: ListOf, kinds: readonly KeyKind[], cursor: string): Position {
  if (cursor.length > MAX_CURSOR || !/^[A-Za-z0-9_-]*$/.test(cursor)) throw damaged();
  const bytes = Buffer.from(cursor, "base64url");
  if (bytes.length < HEAD_BYTES || bytes[0] !== FORM) throw damaged();
  const mark = bytes.subarray(1, 1 + MARK_BYTES);
  const sum = bytes.subarray(1 + MARK_BYTES, HEAD_BYTES);
  const payload = bytes.subarray(HEAD_BYTES);
  if (!sum.equals(digest(Buffer.concat([mark, payload]), SUM_BYTES))) throw damaged();
  if (!mark.equals(markOf(list))) {
    throw new ApiError(
      "INVALID_PARAMETER",
      "`cursor` belongs to another list: operation, filters and order must be those of the answer that returned it.",
    );
  }
  return readPosition(payload, kinds);
}

const damaged = () =>
  new ApiError(
    "INVALID_PARAMETER",
    "`cursor` is damaged, or of another version. Copy `next_cursor` unchanged, or start without a cursor.",
  );

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function readPosition(payload: Uint8Array, kinds: readonly KeyKind[]): Position {
  const values = textOf(payload).split("\0");
  if (values.length !== kinds.length) throw damaged();
  return kinds.map((kind, i) => readValue(values[i] as string, kind, i));
}

function textOf(payload: Uint8Array): string {
  try {
    return utf8.decode(payload);
  } catch {
    throw damaged();
  }
}

/** Only the first key of a list can be null. */
function readValue(written: string, kind: KeyKind, place: number): string | null {
  if (written === "-" && place === 0) return null;
  const value = written.slice(1);
  if (!written.startsWith("=") || !isOfKind[kind](value)) throw damaged();
  return value;
}

/** Whether a text is a number from `-limit` on and below `limit`, which is how PostgreSQL bounds its integers. */
const isWhole = (text: string, limit: bigint): boolean =>
  /^-?\d{1,78}$/.test(text) && BigInt(text) >= -limit && BigInt(text) < limit;

/** A number of 256 bits has 78 digits. */
const LARGEST = 10n ** 78n;

const isOfKind: Record<KeyKind, (text: string) => boolean> = {
  text: () => true,
  integer: (text) => isWhole(text, 2n ** 31n),
  bigint: (text) => isWhole(text, 2n ** 63n),
  decimal: (text) => isWhole(text, LARGEST),
  hash: (text) => /^0x[0-9a-f]{64}$/.test(text),
  address: (text) => /^0x[0-9a-f]{40}$/.test(text),
};
