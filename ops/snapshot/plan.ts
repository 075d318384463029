import type pg from "pg";
import type { PonderBuild } from "../../engine/ponderBuild.ts";
import type { RestorePoint } from "../../engine/restorePoint.ts";
import type { Settings } from "../../settings/settings.ts";
import type { Screen } from "../commandLine/progress.ts";
import type { Part } from "./manifest.ts";
import type { Target } from "./target.ts";

/** What to restore, and where. */
export type RestorePlan = {
  settings: Pick<Settings, "databaseUrl" | "schema" | "network" | "deployment" | "rpcUrls">;
  folder: string;
  withoutCache: boolean;
  screen: Screen;
};

/** A restore that may begin. */
export type Restore = {
  plan: RestorePlan;
  target: Target;
  build: PonderBuild;
  points: RestorePoint[];
  /** The parts that are wanted. */
  parts: Part[];
  config: pg.ClientConfig;
};
