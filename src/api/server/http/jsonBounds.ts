import type { HttpBindings } from "@hono/node-server";
import type { Context, MiddlewareHandler } from "hono";
import { ApiError } from "../errors/errors.ts";

/*
 * The largest honest body is a bulk of 500 items: some 500 values, two keys, three levels. Over MCP several such
 * messages may come together, each with its client's details. A library that reads a body makes an object of each
 * value and each key: their number, not the bytes, is what its time grows with.
 */
export const MAX_VALUES = 2_000;
export const MAX_KEYS = 500;
export const MAX_LEVELS = 32;

const [QUOTE, BACKSLASH, COMMA, COLON] = [...'"\\,:'].map((character) => character.charCodeAt(0));
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [..."[]{}"].map((character) =>
  character.charCodeAt(0),
);

/**
 * Goes once over the bytes of a JSON text and stops at the first bound that it passes. Text that is no JSON passes: its
 * reader says what is wrong with it.
 *
 * @throws ApiError LIMIT_EXCEEDED
 */
function boundJson(bytes: Uint8Array): void {
  let [values, keys, levels] = [1, 0, 0];
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) at = endOfText(bytes, at);
    else if (byte === COMMA) values++;
    else if (byte === COLON) keys++;
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      values++;
      levels++;
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) levels--;
    if (values > MAX_VALUES) throw tooMany(`${MAX_VALUES} values`);
    if (keys > MAX_KEYS) throw tooMany(`${MAX_KEYS} keys`);
    if (levels > MAX_LEVELS) throw tooMany(`${MAX_LEVELS} levels of lists and objects`);
  }
}

/** Where a text ends that begins here: at its second quote that no backslash escapes. */
function endOfText(bytes: Uint8Array, begin: number): number {
  for (let at = begin + 1; ; at++) {
    at = bytes.indexOf(QUOTE ?? 0, at);
    if (at === -1) return bytes.length;
    let escapes = 0;
    while (bytes[at - 1 - escapes] === BACKSLASH) escapes++;
    if (escapes % 2 === 0) return at;
  }
}

const tooMany = (most: string): ApiError =>
  new ApiError("LIMIT_EXCEEDED", `The body has more than ${most}, the maximum.`);

/**
 * Reads from the caller's connection. A caller who leaves before the body is whole fails with the same codes as a database
 * that is cut off: here it is known which of the two it is.
 *
 * @throws ApiError INVALID_PARAMETER
 */
export async function fromCaller<Read>(c: Context, read: () => Promise<Read>): Promise<Read> {
  try {
    return await read();
  } catch (thrown) {
    const { incoming } = (c.env ?? {}) as Partial<HttpBindings>;
    if (incoming?.complete !== false) throw thrown;
    throw new ApiError("INVALID_PARAMETER", "The body ends before it is complete.");
  }
}

/** Bounds every body of JSON before anything reads it. The body is read once, here; readers get it from memory. */
export const boundBody: MiddlewareHandler = async (c, next) => {
  if (["POST", "PATCH"].includes(c.req.method)) {
    boundJson(new Uint8Array(await fromCaller(c, () => c.req.arrayBuffer())));
  }
  await next();
};
