import { Hono } from "hono";
import { operations } from "../names/endpoints/index.ts";
import { ApiError, errorResponse } from "../server/errors/errors.ts";
import { createApp } from "../server/http/app.ts";
import { observeRequests } from "../server/observe/requests.ts";
import type { Core } from "./core.ts";
import { type Feature, isOn } from "./feature.ts";
import { startMetrics } from "./metrics.ts";

/** The whole API: the core's operations, and what the features that are switched on add to them. */
export function serve(core: Core, features: readonly Feature[]): Hono {
  const { settings, server, meters, log } = core;
  const on = features.filter((feature) => isOn(feature, settings));
  const off = features.filter((feature) => !isOn(feature, settings));
  const built = on.map(({ build }) => build(core));
  for (const { clear } of off) clear?.(core);
  startMetrics(core, built);
  const offered = [
    ...operations,
    ...built.flatMap((parts) => parts.operations ?? []),
    ...core.signupOperations,
  ];
  return createApp({
    operations: offered,
    ...server,
    observe: observeRequests({ meters, log, requestLog: settings.requestLog }),
    otherRoutes: [...built.flatMap(({ routes }) => routes?.(offered) ?? []), refusing(off)],
  });
}

/** Answers the paths of features that are switched off. */
function refusing(features: readonly Pick<Feature, "name" | "paths">[]): Hono {
  const app = new Hono();
  for (const { name, paths } of features) {
    const message = `The operator of this service has switched ${name} off.`;
    for (const path of paths) app.all(path, (c) => errorResponse(c, new ApiError("NOT_OFFERED", message)));
  }
  return app;
}
