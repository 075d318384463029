/** Seconds per day. */
export const DAY = 86_400;
