import { expect, test } from "vitest";
import { giveMetrics, writePonderMetrics } from "../../engine/ponderMetrics.ts";
import { serve } from "./servePonder.ts";

test("Ponder's port has no metrics; they are given to the API", async () => {
  expect(await serve(["/metrics", "/%6detrics", "/health"])).toEqual({
    given: "ponder_version_info 1\n",
    "/metrics": 404,
    "/%6detrics": 404,
    "/health": 200,
  });
});

test("without a running server nothing is given", async () => {
  expect(await writePonderMetrics()).toBe(null);
  giveMetrics(async () => "one 1\n");
  expect(await writePonderMetrics()).toBe("one 1\n");
  globalThis.namedexPonderMetrics = undefined;
});
