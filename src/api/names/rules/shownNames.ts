/** How names show a label known only by its hash, or a whole name known only by its node. */
export const UNKNOWN_LABEL = /\[(?:namehash:)?[0-9a-f]{64}\]/i;

/** Whether a text is the copy of a shown name, with such a label. */
export const isOfShownName = (text: string): boolean => UNKNOWN_LABEL.test(text);
