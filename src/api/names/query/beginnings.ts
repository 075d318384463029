import { event } from "ponder:schema";
import type { SQLWrapper } from "drizzle-orm";
import { sql } from "ponder";
import type { Hex } from "viem";
import { exactText } from "../../../ens/storable.ts";
import { MAX_SHOWN } from "../rules/shown.ts";

/*
 * Strangers write texts of any length. A list reads their beginnings only, so that PostgreSQL sends no megabytes which no
 * answer shows. Each beginning has one unit more than is shown: who cuts it sees whether there is more.
 */

/** The beginning of a text. */
export const beginningOf = (text: SQLWrapper, length = MAX_SHOWN) =>
  sql<string | null>`left(${text}, ${sql.raw(String(length + 1))})`;

/** The beginning of a text that is stored by `storable`, which makes one or two characters of each. */
export const beginningOfStored = (text: SQLWrapper, length = MAX_SHOWN) =>
  beginningOf(text, 2 * length + 1).mapWith(exactText<string | null>);

/** The beginning of bytes in hexadecimal: `0x`, and two characters for each byte. */
export const beginningOfBytes = (bytes: SQLWrapper) =>
  sql<Hex | null>`left(${bytes}, ${sql.raw(String(2 + 2 * (MAX_SHOWN + 1)))})`;

/** The most characters that JSON needs for one code point: `\u0000`. */
const ESCAPED = 6;

/**
 * The beginning of a text in `events.details`, escaped as in JSON, without the quote before it. A quote inside a JSON text
 * is escaped, so what is found is the field and no part of another text.
 */
export function beginningInDetails(field: "key" | "value" | "name") {
  const mark = `"${field}":"`;
  const place = sql`strpos(${event.details}, ${sql.raw(`'${mark}'`)})`;
  const length = sql.raw(String(ESCAPED * (MAX_SHOWN + 1)));
  return sql<string | null>`case when ${place} > 0
    then substr(${event.details}, ${place} + ${sql.raw(String(mark.length))}, ${length}) end`;
}
