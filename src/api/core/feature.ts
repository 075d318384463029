import type { Hono } from "hono";
import type { Settings } from "../../../settings/settings.ts";
import type { Endpoint } from "../server/http/endpoint.ts";
import type { Core } from "./core.ts";

/** A product on top of the core: one folder of `features/`, and one line of `features.ts`. */
export type Feature = {
  name: string;
  isOn: (settings: Settings) => boolean;
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
