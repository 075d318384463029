import { expect, test } from "vitest";
import { serve } from "../servePonder.ts";
import { expectFault } from "./fault.ts";

test("Ponder answers metrics at the port of the API, however the path is written", async () => {
  const statuses = await serve(["/metrics", "/%6detrics", "/health"]);
  expect(statuses["/health"]).toBe(200);
  expectFault("metricsApart", statuses["/metrics"] === 200 && statuses["/%6detrics"] === 200);
});
