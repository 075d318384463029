import { expect, test } from "vitest";
import { metricsApart } from "../../engine/changes/metricsApart.ts";
import { serveWith } from "./servePonder.ts";

test("Ponder's port has no metrics; they are given to the API", async () => {
  expect(await serveWith([metricsApart], ["/metrics", "/%6detrics", "/health"])).toEqual({
    given: "ponder_version_info 1\n",
    "/metrics": 404,
    "/%6detrics": 404,
    "/health": 200,
  });
});
