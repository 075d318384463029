const LAST_SECOND_OF_DAY = 86_399;

type End = "first" | "last";

/**
 * A day as an operation takes it: its first second, or its last one. Anything else is returned as it is, and the operation
 * refuses it by itself.
 *
 * @example secondOf("2026-11-22", "first") // "1795305600"
 */
export function secondOf(day: string | undefined, end: End): string | undefined {
  if (day === undefined || !/^\d{4}-\d\d-\d\d$/.test(day)) return day;
  const start = Date.parse(`${day}T00:00:00Z`) / 1_000;
  return Number.isNaN(start) ? day : String(start + (end === "last" ? LAST_SECOND_OF_DAY : 0));
}
