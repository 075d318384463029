const MARK = "\u2400";

/**
 * A text as the tables hold it. PostgreSQL's `text` cannot hold NUL, and Ponder would drop it silently: it is stored as
 * U+2400 and `0`, and U+2400 as itself twice.
 */
export const storable = (text: string): string =>
  text.replaceAll(MARK, MARK + MARK).replaceAll("\0", `${MARK}0`);

/** The text that {@link storable} stored. */
export const exactText = <Text extends string | null>(stored: Text): Text =>
  (stored?.includes(MARK)
    ? stored.replace(/\u2400([0\u2400])/g, (_, next) => (next === "0" ? "\0" : MARK))
    : stored) as Text;
