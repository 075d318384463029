import { digits, onOrOff } from "./kinds.ts";
import { type ValuesOf, withDefault } from "./variable.ts";

/** How much of the feed of changes is stored. */
export type ChangesSettings = {
  /** Whether changes are noted, and given at `/changes`. */
  hasFeed: boolean;
  changes: { days: number; changes: number };
};

export const changesVariables = {
  FEED: withDefault("on", onOrOff, {
    example: "off",
    meaning:
      "Serves the [feed of changes](changes.md) at `/changes`. `off` stops recording changes, sends no webhooks and deletes stored changes.",
  }),
  CHANGES_DAYS: withDefault(7, digits({ from: 1, to: 90, unit: "days" }), {
    example: "30",
    meaning:
      "How many days the [feed of changes](changes.md) keeps a change. A reader that stops for longer must reload its data.",
  }),
  CHANGES_MAX: withDefault(2_000_000, digits({ from: 10_000, to: 100_000_000, unit: "changes" }), {
    example: "5000000",
    meaning:
      "Maximum number of changes the feed keeps, about 1 KB each. Beyond it, the oldest are deleted early, except those of the last hour.",
  }),
};

export const toChangesSettings = (known: ValuesOf<typeof changesVariables>): ChangesSettings => ({
  hasFeed: known.FEED === "on",
  changes: { days: known.CHANGES_DAYS, changes: known.CHANGES_MAX },
});
