import { ApiError } from "../../server/errors/errors.ts";

/** Seconds from one to another, both inside. */
export type TimeWindow = { from: number; to: number };

export const MAX_WINDOWS = 32;

const WINDOW = /^\s*(\d{1,15})-(\d{1,15})\s*$/;

/**
 * Reads windows of time as callers write them, in order; those that overlap become one.
 *
 * @throws ApiError INVALID_PARAMETER
 * @example
 * parseWindows("100-200,50-60"); // [{ from: 50, to: 60 }, { from: 100, to: 200 }]
 */
export function parseWindows(text: string): TimeWindow[] {
  const parts = text.split(",", MAX_WINDOWS + 1);
  if (parts.length > MAX_WINDOWS) {
    throw new ApiError("INVALID_PARAMETER", `\`expiry_windows\` may contain at most ${MAX_WINDOWS} windows.`);
  }
  const merged: TimeWindow[] = [];
  for (const window of parts.map(parseWindow).toSorted((a, b) => a.from - b.from)) {
    const last = merged.at(-1);
    if (last === undefined || window.from > last.to) merged.push(window);
    else last.to = Math.max(last.to, window.to);
  }
  return merged;
}

function parseWindow(text: string): TimeWindow {
  const [, from, to] = WINDOW.exec(text) ?? [];
  const window = { from: Number(from), to: Number(to) };
  if (from === undefined || window.from > window.to) {
    throw new ApiError(
      "INVALID_PARAMETER",
      "`expiry_windows` must be windows in unix seconds, `<from>-<to>`, separated by commas; none may end before it begins.",
    );
  }
  return window;
}
