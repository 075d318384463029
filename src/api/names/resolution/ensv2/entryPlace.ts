import type { EntryPlace } from "../../live/entries.ts";
import type { Ensv2State } from "./state.ts";

/** Where live answers find the entry of a name of ENSv2; null where the index knows that there is none. */
export function entryPlaceOf({ walk: { entry, unknown } }: Ensv2State, name: string): EntryPlace | null {
  const labels = name.split(".").toReversed();
  if (entry !== null) return { registry: entry.registry, labels: labels.slice(-1), isKnown: true };
  return unknown && { registry: unknown.registry, labels: labels.slice(unknown.depth - 1), isKnown: false };
}
