import type { Change } from "../change.ts";
import { importOf } from "./importOf.ts";

const file = "server/index.js";

export const metricsApart: Change = {
  name: "metricsApart",
  group: "correct",
  problem:
    "`server/index.js` answers `/metrics` at the port of the API, before any code of the program, and has no setting for it. The path is decoded first, so `/%6detrics` is the same.",
  cost: "All who reach the API read what the operator alone should: a proxy that hides the path by its name does not hide its other spellings.",
  remedy:
    "The port does not answer it. The API takes the metrics from there for a port of their own (`METRICS_PORT`).",
  upstream: "Not reported as of 2026-11.",
  exit: "A release that can answer metrics at another port, or not at all.",
  edits: [
    {
      file,
      from: "export async function createServer({ common, database, apiBuild, }) {",
      to: `${importOf("giveMetrics", "ponderMetrics.ts")}export async function createServer({ common, database, apiBuild, }) {
    giveMetrics(() => common.metrics.getMetrics());`,
    },
    {
      file,
      from: `        .get("/metrics", async (c) => {
        try {
            const metrics = await common.metrics.getMetrics();
            return c.text(metrics);
        }
        catch (error) {
            return c.json(error, 500);
        }
    })
`,
      to: "",
    },
  ],
};
