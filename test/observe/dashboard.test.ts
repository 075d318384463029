import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { createMetrics } from "../../ops/gateway/metrics.ts";
import { allMetrics } from "../support/meters.ts";

type Dashboard = { panels: { title: string; targets: { expr: string }[] }[] };

const dashboard = JSON.parse(
  readFileSync(new URL("../../docs/deploy/grafana.json", import.meta.url), "utf8"),
) as Dashboard;

/** How an expression refers to a histogram or counter. */
const familyOf = (name: string) => name.replace(/_(bucket|count|sum)$/, "");

test("every metric of the dashboard exists, with the labels that it is grouped by", async () => {
  const given = await allMetrics();
  const gateway = await createMetrics(() => []).text();
  for (const [, name = ""] of gateway.matchAll(/^# TYPE (\w+) /gm)) {
    given.set(name, { labelNames: ["indexer", "part", "status"] });
  }
  for (const { title, targets } of dashboard.panels) {
    expect(targets.length, title).toBeGreaterThan(0);
    for (const { expr } of targets) {
      const names = expr.match(/namedex_\w+/g) ?? [];
      expect(names.length, title).toBeGreaterThan(0);
      for (const name of names) {
        const meter = given.get(name) ?? given.get(familyOf(name));
        expect(meter, `${title}: ${name}`).toBeDefined();
        const groups = [...expr.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list = ""]) => list.split(/,\s*/));
        const known = ["le", "instance", "job", ...(meter?.labelNames ?? [])];
        for (const label of groups) expect(known, `${title}: ${label}`).toContain(label);
      }
    }
  }
});

test("every metric of ours is on the dashboard", async () => {
  const text = JSON.stringify(dashboard);
  // Those of the process itself come from prom-client.
  const ours = [...(await allMetrics()).keys()].filter((name) => !/^namedex_(process|nodejs)_/.test(name));
  expect(ours.length).toBeGreaterThan(40);
  for (const name of ours) expect(text).toContain(name);
});

test("so is every metric of the gateway", async () => {
  const text = JSON.stringify(dashboard);
  const gateway = await createMetrics(() => []).text();
  for (const [, name] of gateway.matchAll(/^# TYPE (\w+) /gm)) expect(text).toContain(name);
});
