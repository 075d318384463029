import { expect, test } from "vitest";
import { check, SettingsError } from "../../settings/check.ts";
import { labelVariables, toLabelSettings } from "../../settings/labels.ts";

const read = (env: Record<string, string>) => toLabelSettings(check(labelVariables, env));

test("a label service is named by its URL and its label set", () => {
  expect(read({})).toEqual({ labelHealing: null });
  const url = "https://api.searchlight.ensrainbow.io";
  expect(read({ LABEL_HEALING_URL: url, LABEL_HEALING_SET: "searchlight@1" })).toEqual({
    labelHealing: { url, set: { id: "searchlight", version: 1 } },
  });
});

test.each([
  [{ LABEL_HEALING_URL: "https://labels.example" }, "LABEL_HEALING_SET is not set"],
  [{ LABEL_HEALING_SET: "searchlight@1" }, "LABEL_HEALING_URL is not set"],
  [{ LABEL_HEALING_URL: "labels", LABEL_HEALING_SET: "searchlight@1" }, "LABEL_HEALING_URL"],
  [{ LABEL_HEALING_URL: "https://labels.example", LABEL_HEALING_SET: "searchlight" }, "LABEL_HEALING_SET"],
])("an incomplete or invalid label service is rejected: %j", (env, why) => {
  expect(() => read(env as Record<string, string>)).toThrow(SettingsError);
  expect(() => read(env as Record<string, string>)).toThrow(why);
});
