import { createHash } from "node:crypto";
import { z } from "@hono/zod-openapi";
import type { Address } from "viem";
import { ApiError } from "../../server/errors/errors.ts";
import { type ParsedName, type ParsedNode, parseAddress, parseHash, parseName } from "./input.ts";
import type { RecordsAsked } from "./recordChoice.ts";

/** Where the records of a name go on that an earlier answer had no room for; null where none are left. */
export type Rest = { textsAfter: string | null; addressesAfter: string | null };

/** One input of a batch. */
export type Sought =
  | { kind: "name"; input: string; requested: ParsedName | ParsedNode; rest: Rest | null }
  | { kind: "address"; input: string; address: Address };

/** No name begins so: an underscore stands at the beginning of a label only (ENSIP-15). */
const CURSOR = "cursor_";
/** A cursor holds a name of the longest length, and three hashes. */
const MAX_CURSOR = 8_192;

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const HASH = /^0x[0-9a-fA-F]{64}$/;

/** Reads an input: an address, a namehash, a cursor, or else a name. @throws ApiError for any other input */
export function readSought(input: string, asked: RecordsAsked | null): Sought {
  if (ADDRESS.test(input)) return { kind: "address", input, address: parseAddress(input) };
  if (!input.startsWith(CURSOR)) return { kind: "name", input, requested: readName(input), rest: null };
  const { name, ...rest } = readCursor(input, asked);
  return { kind: "name", input, requested: readName(name), rest };
}

const readName = (text: string): ParsedName | ParsedNode =>
  HASH.test(text) ? { query: text, node: parseHash(text) } : parseName(text);

const HEX_OR_EMPTY = /^(0x[0-9a-f]{64})?$/;
const COIN = /^(-1|[0-9]{1,78})$/;

const cursorShape = z.tuple([
  z.string(),
  z.string().regex(HEX_OR_EMPTY).nullable(),
  z.string().regex(COIN).nullable(),
  z.string(),
]);

/** Makes a cursor, which is an input again. It is bound to the choice of records. */
export function writeCursor(name: string, { textsAfter, addressesAfter }: Rest, asked: RecordsAsked): string {
  const parts = [name, textsAfter, addressesAfter, markOf(asked)];
  return CURSOR + Buffer.from(JSON.stringify(parts)).toString("base64url");
}

function readCursor(input: string, asked: RecordsAsked | null): Rest & { name: string } {
  const [name, textsAfter, addressesAfter, mark] = parseCursor(input);
  if (asked === null || mark !== markOf(asked)) {
    throw new ApiError("INVALID_PARAMETER", "The cursor belongs to another choice of records.");
  }
  return { name, textsAfter, addressesAfter };
}

function parseCursor(input: string): z.infer<typeof cursorShape> {
  if (input.length > MAX_CURSOR) throw damaged();
  try {
    const text = Buffer.from(input.slice(CURSOR.length), "base64url").toString();
    return cursorShape.parse(JSON.parse(text));
  } catch {
    throw damaged();
  }
}

const damaged = () => new ApiError("INVALID_PARAMETER", "The cursor is damaged.");

/** What a cursor is bound to. */
const markOf = ({ types, keys, coinTypes, cleared }: RecordsAsked): string =>
  createHash("sha256")
    .update(JSON.stringify([[...types].sort(), keys ?? null, coinTypes?.map(String) ?? null, cleared]))
    .digest("base64url")
    .slice(0, 16);
