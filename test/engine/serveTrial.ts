import { request } from "node:http";
import { Hono } from "hono";
import { freePort } from "../../devnet/ports.ts";
import { writePonderMetrics } from "../../engine/ponderMetrics.ts";
import { ponderModule } from "./ponders.ts";

// Ponder's HTTP server alone: prints the status of each given path, and Ponder's metrics.

type Server = { createServer: (parts: object) => Promise<unknown> };

const counter = { inc: () => {}, dec: () => {}, observe: () => {} };
const metrics = {
  getMetrics: async () => "ponder_version_info 1\n",
  ponder_http_server_active_requests: counter,
  ponder_http_server_request_size_bytes: counter,
  ponder_http_server_response_size_bytes: counter,
  ponder_http_server_request_duration_ms: counter,
};
const common = { metrics, logger: { info: () => {} }, apiShutdown: { add: () => {} } };

const { createServer } = (await ponderModule("server/index.js")) as Server;
const port = await freePort();
await createServer({ common, database: {}, apiBuild: { app: new Hono(), port } });

const statusOf = (path: string) =>
  new Promise<number>((resolve, reject) => {
    request({ host: "127.0.0.1", port, path }, (reply) => resolve(reply.resume().statusCode ?? 0))
      .on("error", reject)
      .end();
  });

const answers: Record<string, number | string | null> = { given: await writePonderMetrics() };
for (const path of process.argv.slice(2)) answers[path] = await statusOf(path);
console.log(JSON.stringify(answers));
process.exit();
