import type { Core } from "../../core/core.ts";
import type { Feature } from "../../core/feature.ts";
import { lifeOf } from "../../names/rules/life.ts";
import { startInPlace } from "../../server/hotReload.ts";
import { listen } from "../../server/postgres/listen.ts";
import { readRelease } from "../../server/serviceDb/releases.ts";
import { feedChannel } from "./channel.ts";
import { createFeedMeters } from "./metrics.ts";
import { changeEndpoints } from "./operations.ts";
import { readFeedIfAny } from "./read.ts";
import { createHub } from "./stream/hub.ts";
import { createStreamPlaces } from "./stream/places.ts";
import { streamRoutes } from "./stream/routes.ts";
import { clearFeed, startFeed } from "./writer.ts";

/** The feed of changes, at `/changes`, and its streams. */
export const feature: Feature = {
  name: "the feed of changes",
  switches: ["hasFeed"],
  paths: ["/changes", "/changes/*"],
  build: (core) => {
    startInPlace("feed", () => startFeed(writerOf(core)));
    const { settings, db, contracts, access, server, freshness, log, meters, shareOf } = core;
    const hub = createHub({
      db,
      onError: (error) => log.warn({ error }, "the feed of changes cannot be read"),
    });
    startInPlace("stream", () => {
      const line = listen({
        databaseUrl: settings.databaseUrl,
        channel: feedChannel(settings.schema),
        applicationName: `${settings.schema}_stream`,
        onNews: hub.look,
      });
      return { stop: async () => void (await Promise.all([line.stop(), hub.stop()])) };
    });
    const places = createStreamPlaces();
    const note = createFeedMeters(meters, contracts.chainName);
    return {
      operations: changeEndpoints,
      routes: () =>
        streamRoutes({
          db,
          contracts,
          hub,
          access,
          callerOf: server.callerOf,
          places,
          requireReadyIndex: freshness.require,
          shareOf,
        }),
      noteMetrics: async () => note(await readFeedIfAny(db), places.count()),
    };
  },
  // Its triggers would keep recording each write.
  clear: (core) => startInPlace("feed", () => clearFeed(writerOf(core))),
};

const writerOf = ({ settings, contracts, store }: Core) => ({
  databaseUrl: settings.databaseUrl,
  schema: settings.schema,
  rules: lifeOf(contracts.ensv2),
  retention: settings.changes,
  active: async () => (await readRelease(store)).active,
  log: (line: string, level: "log" | "warn" | "error" = "log") => console[level](line),
});
