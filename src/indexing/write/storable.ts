/** PostgreSQL's `text` cannot hold NUL, and Ponder would drop it silently: U+2400 stands in its place. */
export const storable = (text: string): string => text.replaceAll("\0", "\u2400");
