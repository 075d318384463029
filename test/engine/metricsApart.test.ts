import { expect, test } from "vitest";
import { metricsApart } from "../../engine/changes/metricsApart.ts";
import { giveMetrics, writePonderMetrics } from "../../engine/ponderMetrics.ts";
import { serveWith } from "./servePonder.ts";

test("Ponder's port has no metrics; they are given to the API", async () => {
  expect(await serveWith([metricsApart], ["/metrics", "/%6detrics", "/health"])).toEqual({
    given: "ponder_version_info 1\n",
    "/metrics": 404,
    "/%6detrics": 404,
    "/health": 200,
  });
});

test("where Ponder runs without our changes, nothing is given", async () => {
  expect(await writePonderMetrics()).toBe(null);
  giveMetrics(async () => "one 1\n");
  expect(await writePonderMetrics()).toBe("one 1\n");
  globalThis.namedexPonderMetrics = undefined;
});
