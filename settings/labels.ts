import { z } from "zod";
import { SettingsError } from "./check.ts";
import { httpUrl, text } from "./kinds.ts";
import { optional, type ValuesOf } from "./variable.ts";

/** A service that resolves labels known only by hash; null if none is configured. */
export type LabelSettings = { labelHealing: { url: string; set: { id: string; version: number } } | null };

export const labelVariables = {
  LABEL_HEALING_URL: optional(httpUrl("an https URL, or an http URL of this machine"), {
    example: "https://api.searchlight.ensrainbow.io",
    meaning:
      "Service with the [ENSRainbow](https://ensnode.io/ensrainbow/) protocol that one process slowly asks for labels known only by hash. The service sees the hashes; each answer is checked by hashing it. Needs `LABEL_HEALING_SET`.",
    unset: "off",
  }),
  LABEL_HEALING_SET: optional(
    text("a label set and its version, such as searchlight@1", z.string().regex(/^[a-z-]{1,50}@\d{1,9}$/)),
    {
      example: "searchlight@1",
      meaning: "Label set and version to request. For a given set and version, answers never change.",
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
      `${missing} is not set: set LABEL_HEALING_URL and LABEL_HEALING_SET together, or neither`,
    );
  }
  const [id = "", version = ""] = set.split("@");
  return { labelHealing: { url, set: { id, version: Number(version) } } };
}
