/** Seconds of a day. */
export const DAY = 86_400;
