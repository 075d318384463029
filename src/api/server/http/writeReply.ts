import { ApiError } from "../errors/errors.ts";
import type { Endpoint } from "./endpoint.ts";

/**
 * Longest answer, in bytes of JSON or another text, 4 MiB. Bounds on numbers and lengths keep usual answers far below. Writing one of this
 * size holds the event loop for some 20 ms; MCP sends an answer twice.
 */
export const MAX_JSON_BYTES = 4_194_304;

/**
 * The reply as it is sent: as JSON, unless the operation answers in another form.
 *
 * @throws ApiError RESPONSE_TOO_LARGE
 */
export function writeReply({ mediaType }: Pick<Endpoint, "mediaType">, reply: unknown): string {
  const text = mediaType === undefined ? JSON.stringify(reply) : String(reply);
  const bytes = Buffer.byteLength(text);
  if (bytes <= MAX_JSON_BYTES) return text;
  throw new ApiError(
    "RESPONSE_TOO_LARGE",
    `The answer would have ${bytes} bytes; the limit is ${MAX_JSON_BYTES}. Split the request: use \`page\` if available, fewer bulk items, fewer record \`types\`, or one text by its key.`,
  );
}
