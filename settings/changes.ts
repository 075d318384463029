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
      "`on`: the [feed of changes](changes.md) at `/changes`. `off`: no change is noted, no webhook is sent, and the changes that were stored are deleted.",
  }),
  CHANGES_DAYS: withDefault(7, digits({ from: 1, to: 90, unit: "days" }), {
    example: "30",
    meaning:
      "How long the [feed of changes](changes.md) stores a change. A reader that stood still for longer has to read what it follows again.",
  }),
  CHANGES_MAX: withDefault(2_000_000, digits({ from: 10_000, to: 100_000_000, unit: "changes" }), {
    example: "5000000",
    meaning:
      "How many changes the feed stores at most, about 1 KB each; beyond that the oldest go before their time. Those of the last hour stay in any case.",
  }),
};

export const toChangesSettings = (known: ValuesOf<typeof changesVariables>): ChangesSettings => ({
  hasFeed: known.FEED === "on",
  changes: { days: known.CHANGES_DAYS, changes: known.CHANGES_MAX },
});
