import { MAX_ANSWER } from "../bounds.ts";
import { QueryError } from "../queryError.ts";

/** Characters of a number, a truth value or null, about. */
const OTHER = 5;

/**
 * Counts the characters of an answer. One entity can stand at many places of it, so that what was read says little of how
 * large the answer is.
 *
 * @throws QueryError where they are more than an answer has
 */
export function requireSize(answer: unknown): void {
  let size = 0;
  const add = (value: unknown): void => {
    if (typeof value === "object" && value !== null)
      for (const [key, one] of Object.entries(value)) {
        if (!Array.isArray(value)) size += key.length;
        add(one);
      }
    else size += typeof value === "string" ? value.length : OTHER;
    if (size > MAX_ANSWER)
      throw new QueryError(
        `The answer has more than ${MAX_ANSWER} characters: ask for fewer entities or fields at once`,
      );
  };
  add(answer);
}
