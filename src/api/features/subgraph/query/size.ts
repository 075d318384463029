import { ApiError } from "../../../server/errors/errors.ts";
import { MAX_JSON_BYTES } from "../../../server/http/writeReply.ts";

/** Characters of a number, a truth value or null, about. */
const OTHER = 4;

/** The quotes, the colon and the comma around a field and its text. */
const SIGNS = 4;

/** Its work is done, and is paid for: else anyone could have large answers made for nothing. */
const tooLarge = (): ApiError =>
  new ApiError(
    "RESPONSE_TOO_LARGE",
    `The answer would have more than ${MAX_JSON_BYTES} bytes: request fewer entities or fields at once`,
    { isCharged: true },
  );

/** Counts the characters of an answer. What is given throws RESPONSE_TOO_LARGE where they are more than an answer has. */
export function answerSize(): (value: unknown) => void {
  let size = 0;
  const add = (value: unknown): void => {
    if (typeof value === "object" && value !== null) {
      for (const [key, one] of Object.entries(value)) {
        if (!Array.isArray(value)) size += key.length + SIGNS;
        add(one);
      }
    } else size += typeof value === "string" ? value.length : OTHER;
    if (size > MAX_JSON_BYTES) throw tooLarge();
  };
  return add;
}

/**
 * Writes an answer. One entity can stand at many places of it, so that what was read says little of how large the answer is:
 * it is counted before it is written.
 *
 * @throws ApiError RESPONSE_TOO_LARGE
 */
export function writeAnswer(data: unknown): string {
  answerSize()(data);
  const text = JSON.stringify({ data });
  if (Buffer.byteLength(text) > MAX_JSON_BYTES) throw tooLarge();
  return text;
}
