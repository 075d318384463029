import { event } from "ponder:schema";
import type { SQLWrapper } from "drizzle-orm";
import { sql } from "ponder";
import type { Hex } from "viem";
import { exactText } from "../../../ens/storable.ts";
import { MAX_SHOWN } from "../rules/shown.ts";

/**
 * Strangers write texts of any length. Lists read only their beginnings, so PostgreSQL does not send megabytes that no answer
 * shows. Each beginning is one unit longer than what is shown, so the code that cuts it can tell whether more follows.
 */

/** The beginning of a text. */
export const beginningOf = (text: SQLWrapper, length = MAX_SHOWN) =>
  sql<string | null>`left(${text}, ${sql.raw(String(length + 1))})`;

/** The beginning of a text stored by `storable`, which encodes each character as one or two. */
export const beginningOfStored = (text: SQLWrapper, length = MAX_SHOWN) =>
  beginningOf(text, 2 * length + 1).mapWith(exactText<string | null>);

/** The beginning of hexadecimal bytes: `0x`, and two characters per byte. */
export const beginningOfBytes = (bytes: SQLWrapper) =>
  sql<Hex | null>`left(${bytes}, ${sql.raw(String(2 + 2 * (MAX_SHOWN + 1)))})`;

/** The longest JSON escape of a code point: `\u0000`. */
const ESCAPED = 6;

/**
 * The beginning of a text in `events.details`, escaped as in JSON, without its opening quote. JSON escapes quotes within texts,
 * so a match is the field itself and never a part of another text.
 */
export function beginningInDetails(field: "key" | "value" | "name") {
  const mark = `"${field}":"`;
  const place = sql`strpos(${event.details}, ${sql.raw(`'${mark}'`)})`;
  const length = sql.raw(String(ESCAPED * (MAX_SHOWN + 1)));
  return sql<string | null>`case when ${place} > 0
    then substr(${event.details}, ${place} + ${sql.raw(String(mark.length))}, ${length}) end`;
}
