import { connect } from "node:net";

/** Every notation for the paths of metrics that a server or a proxy may read as one of them. */
export const metricsTargets = [
  "/metrics",
  "/index-metrics",
  "/api/index-metrics",
  "/api/metrics",
  "/metrics?x=1",
  "/metrics/",
  "//metrics",
  "/%6detrics",
  "/index%2Dmetrics",
  "/api%2Findex-metrics",
  "/api/%69ndex-metrics",
  "/%2Fmetrics",
  "/x/../metrics",
  "/x/%2e%2e/metrics",
  "/./metrics",
  "/\\metrics",
  "/METRICS",
  "http://other.example/metrics",
  "/gateway/metrics",
  "/gateway/%6detrics",
  "/gateway/../metrics",
];

/** The answer to a target sent unchanged; `fetch` would rewrite it. */
export const askAsWritten = (url: string, target: string): Promise<{ status: number; text: string }> =>
  new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    let text = "";
    socket.on("data", (data) => {
      text += data;
    });
    socket.on("error", reject);
    socket.on("close", () => resolve({ status: Number(text.split(" ")[1]), text }));
    socket.write(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
  });
