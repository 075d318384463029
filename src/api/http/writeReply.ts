import { ApiError } from "../schemas/errors.ts";

/**
 * Longest answer, in bytes of JSON, 4 MiB. Bounds on numbers and lengths keep usual answers far below. Writing one of this
 * size holds the event loop for some 20 ms; MCP sends an answer twice.
 */
export const MAX_JSON_BYTES = 4_194_304;

/**
 * The reply as JSON.
 *
 * @throws ApiError RESPONSE_TOO_LARGE
 */
export function writeReply(reply: unknown): string {
  const text = JSON.stringify(reply);
  const bytes = Buffer.byteLength(text);
  if (bytes <= MAX_JSON_BYTES) return text;
  throw new ApiError(
    "RESPONSE_TOO_LARGE",
    `The answer would have ${bytes} bytes; at most ${MAX_JSON_BYTES} are given. Ask for it in pieces: with \`page\` where the operation has it, fewer items of a bulk, fewer \`types\` of records, or one text by its key.`,
  );
}
