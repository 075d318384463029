import { z } from "zod";
import { SettingsError } from "./check.ts";
import { httpUrl, text } from "./kinds.ts";
import { optional, type ValuesOf } from "./variable.ts";

/** A service that is asked for labels of which the index has the hash alone; null where none is. */
export type LabelSettings = { labelHealing: { url: string; set: { id: string; version: number } } | null };

export const labelVariables = {
  LABEL_HEALING_URL: optional(httpUrl("an https URL, or an http URL of this machine"), {
    example: "https://api.searchlight.ensrainbow.io",
    meaning:
      "A service with the HTTP protocol of [ENSRainbow](https://ensnode.io/ensrainbow/), which is asked slowly for labels of which the index has the hash alone: of the processes that have this setting, with or without an indexer, one does. It sees these hashes, and each answer is hashed. Needs `LABEL_HEALING_SET`.",
    unset: "none is asked",
  }),
  LABEL_HEALING_SET: optional(
    text("a label set and its version, as searchlight@1", z.string().regex(/^[a-z-]{1,50}@\d{1,9}$/)),
    {
      example: "searchlight@1",
      meaning: "Label set and version of that service: with these, its answers stay the same for ever.",
    },
  ),
};

/** @throws SettingsError if only one of the two is set */
export function toLabelSettings(known: ValuesOf<typeof labelVariables>): LabelSettings {
  const { LABEL_HEALING_URL: url, LABEL_HEALING_SET: set } = known;
  if (url === undefined && set === undefined) return { labelHealing: null };
  if (url === undefined || set === undefined) {
    const missing = url === undefined ? "LABEL_HEALING_URL" : "LABEL_HEALING_SET";
    throw new SettingsError(
      `${missing} is not set: a service is asked by its URL and its label set together.`,
    );
  }
  const [id = "", version = ""] = set.split("@");
  return { labelHealing: { url, set: { id, version: Number(version) } } };
}
