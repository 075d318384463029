import type { Hono } from "hono";
import type { Settings } from "../../../settings/settings.ts";
import type { Endpoint } from "../server/http/endpoint.ts";
import type { Core } from "./core.ts";

/** The settings that switch features on and off. */
const switches = ["hasExplorer", "hasAvatars", "hasMcp", "hasSubgraph", "hasFeed", "hasWebhooks"] as const;

/** A product on top of the core: one folder of `features/`, and one line of `features.ts`. */
export type Feature = {
  name: string;
  /** It is on if all of these settings are. */
  switches: readonly (typeof switches)[number][];
  /** Its paths, as Hono has them. They answer `NOT_OFFERED` while it is off. */
  paths: readonly string[];
  /** Makes its parts and starts its background work. Called once, if it is on. */
  build: (core: Core) => FeatureParts;
  /** Removes what it left in the database when it was on. Called once, if it is off. */
  clear?: (core: Core) => void;
};

/** What a feature adds to the API. */
export type FeatureParts = {
  operations?: readonly Endpoint[];
  /** Routes that are not operations, given every operation of the service. */
  routes?: (operations: readonly Endpoint[]) => Hono;
  /** Sets its metrics. Called before they are read, while the database answers. */
  noteMetrics?: () => Promise<void>;
};

export const isOn = (feature: Feature, settings: Settings): boolean =>
  feature.switches.every((one) => settings[one]);

/** The settings of a service that has these features: the switch of a feature that was removed is off, too. */
export function settingsWith(features: readonly Feature[], settings: Settings): Settings {
  const removed = switches.filter((one) => !features.some((feature) => feature.switches.includes(one)));
  return { ...settings, ...Object.fromEntries(removed.map((one) => [one, false])) };
}
