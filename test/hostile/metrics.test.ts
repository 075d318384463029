import { connect } from "node:net";
import { expect, test } from "vitest";
import type { GatewayProcess } from "../gateway/gateway.ts";
import { open } from "../gateway/opened.ts";
import { says, startUpstream } from "../gateway/upstream.ts";

/* The metrics of indexers, through a gateway, by every way to write their paths. */

/** The status of a request whose target is sent as it is. */
const ask = ({ url }: GatewayProcess, target: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    let text = "";
    socket.on("data", (data) => {
      text += data;
    });
    socket.on("error", reject);
    socket.on("close", () => resolve(Number(text.split(" ")[1])));
    socket.write(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
  });

const targets = [
  ...["/metrics", "/index-metrics", "/api/index-metrics", "/metrics?x=1", "/metrics/", "//metrics"],
  ...["/%6detrics", "/index%2Dmetrics", "/api%2Findex-metrics", "/api/%69ndex-metrics", "/%2Fmetrics"],
  ...["/x/../metrics", "/x/%2e%2e/metrics", "/./metrics", "/\\metrics", "http://other.example/metrics"],
];

test("metrics are not forwarded, however their path is written; other paths are", async () => {
  const gateway = await open([await startUpstream(says("an indexer"))]);
  for (const target of targets) expect([target, await ask(gateway, target)]).toEqual([target, 404]);
  for (const target of ["/whois/metrics", "/domain/metrics.eth", "/x?a=/metrics", "/metrics.eth"]) {
    expect([target, await ask(gateway, target)]).toEqual([target, 200]);
  }
});

test("they are if the operator says so", async () => {
  const gateway = await open([await startUpstream(says("an indexer"))], { GATEWAY_FORWARD_METRICS: "on" });
  expect(await ask(gateway, "/metrics")).toBe(200);
});
