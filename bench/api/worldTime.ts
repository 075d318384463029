/**
 * The newest block of every world, in Unix seconds. It is fixed, so that the same size has the same rows on every day;
 * the program that is measured has the matching clock (`worldClock.ts`).
 */
export const WORLD_TIME = Date.UTC(2026, 0, 15, 12) / 1_000;
