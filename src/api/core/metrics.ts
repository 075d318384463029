import { writePonderMetrics } from "../../../engine/ponderMetrics.ts";
import { type Healing, readHealing } from "../names/statistics/healing.ts";
import { startInPlace } from "../server/hotReload.ts";
import type { Ctx } from "../server/http/context.ts";
import { metricsPage, startOperatorServer } from "../server/http/operatorServer.ts";
import { retryOnLock } from "../server/indexState/retryOnLock.ts";
import { indexMetrics } from "../server/observe/indexMetrics.ts";
import { lastKnown } from "../server/scheduling/lastKnown.ts";
import { type Core, soon } from "./core.ts";
import type { FeatureParts } from "./feature.ts";

/** Starts the operator's port: metrics of the index, of features and of Ponder. */
export function startMetrics(core: Core, features: readonly FeatureParts[]): void {
  const { settings, lastVerification, meters, log, createContext } = core;
  const healingNow = lastKnown<Ctx, Healing | null>(readHealing, soon);
  const pages = {
    "/index-metrics": async () => {
      const ctx = await retryOnLock(createContext);
      const view = {
        ...ctx,
        lastVerification,
        readHealing: () => healingNow(ctx),
        noteFeatures: () => Promise.all(features.map(({ noteMetrics }) => noteMetrics?.())),
      };
      return metricsPage(await indexMetrics(view, meters));
    },
    "/metrics": async () => {
      const text = await writePonderMetrics();
      return text === null ? null : metricsPage(text);
    },
  };
  // A port that cannot be opened is no rejection that anything handles: Ponder says why, and ends with code 75.
  startInPlace("metrics", () =>
    startOperatorServer(settings.metrics, {
      pages,
      onError: (error) => log.error({ error }, "metrics cannot be read"),
    }),
  );
}
