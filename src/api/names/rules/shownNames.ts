/** A label of which the hash alone is known, or a whole name that is written by its node, as a name shows it. */
export const UNKNOWN_LABEL = /\[(?:namehash:)?[0-9a-f]{64}\]/i;

/** Whether a text is the copy of a shown name, with such a label. */
export const isOfShownName = (text: string): boolean => UNKNOWN_LABEL.test(text);
