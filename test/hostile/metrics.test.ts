import { expect, test } from "vitest";
import type { RunningGateway } from "../gateway/gateway.ts";
import { open } from "../gateway/opened.ts";
import { says, startUpstream } from "../gateway/upstream.ts";
import { askAsWritten, metricsTargets } from "./metricsTargets.ts";

/* The metrics of indexers, and their addresses, through a gateway. `hostile.test.ts` requests the port of an API itself. */

const statusOf = async ({ url }: RunningGateway, target: string) => (await askAsWritten(url, target)).status;

test("metrics are not forwarded, however their path is written; other paths are", async () => {
  const gateway = await open([await startUpstream(says("an indexer"))]);
  const own = metricsTargets.filter((target) => target !== "/gateway/%6detrics");
  for (const target of own) expect([target, await statusOf(gateway, target)]).toEqual([target, 404]);
  for (const target of ["/whois/metrics", "/domain/metrics.eth", "/x?a=/metrics", "/metrics.eth"]) {
    expect([target, await statusOf(gateway, target)]).toEqual([target, 200]);
  }
});

test("indexers' addresses are only at the operator port, including those of an unreachable one", async () => {
  const upstream = await startUpstream(says("an indexer"));
  const away = await startUpstream(says("an indexer"));
  const gateway = await open([upstream, away]);
  await away.kill();
  await gateway.until("synced", "unreachable");
  const ports = [upstream, away].map(({ url }) => new URL(url).port);
  for (const path of ["/gateway/status", "/gateway/metrics", "/gateway/else", "/gateway/%73tatus"]) {
    const { text } = await askAsWritten(gateway.url, path);
    for (const port of ports) expect([path, text]).not.toEqual([path, expect.stringContaining(port)]);
  }
  expect(await (await fetch(`${gateway.url}/gateway/status`)).json()).toMatchObject({
    synced: 1,
    stopping: false,
    indexers: [{ state: "synced" }, { state: "unreachable" }],
  });
  for (const path of ["/gateway/status", "/gateway/metrics"]) {
    const { text } = await askAsWritten(gateway.metricsUrl, path);
    for (const port of ports) expect(text).toContain(port);
  }
});
