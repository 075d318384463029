const MARK = "\u2400";

/**
 * A text as stored in tables. PostgreSQL's `text` cannot hold NUL, which Ponder would drop silently: NUL becomes U+2400 and
 * `0`, and U+2400 is doubled.
 *
 * @example storable("a\0b") // "a␀0b"
 */
export const storable = (text: string): string =>
  text.replaceAll(MARK, MARK + MARK).replaceAll("\0", `${MARK}0`);

/** Reverses {@link storable}. */
export const exactText = <Text extends string | null>(stored: Text): Text =>
  (stored?.includes(MARK)
    ? stored.replace(/\u2400([0\u2400])/g, (_, next) => (next === "0" ? "\0" : MARK))
    : stored) as Text;
