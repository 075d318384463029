import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createMetrics } from "../../ops/gateway/metrics.ts";
import { allMetrics } from "../support/meters.ts";
import { root } from "../support/projectFiles.ts";
import { alerts, alertsFile } from "./alerts.ts";

const promtool = (...args: string[]) => spawnSync("promtool", args, { encoding: "utf8" });
const hasPromtool = promtool("--version").status === 0;

/** Name of a histogram or counter in an expression. */
const familyOf = (name: string) => name.replace(/_(bucket|count|sum)$/, "");

test("every alert uses metrics we export, with existing labels and reasons", async () => {
  expect(alerts.length).toBe(readFileSync(alertsFile, "utf8").split("- alert:").length - 1);
  const given = await allMetrics();
  const gateway = await createMetrics(() => []).text();
  for (const { name, expr } of alerts) {
    const ours = expr.match(/namedex_\w+/g) ?? [];
    expect(ours.length + (expr.match(/\b(up|node_filesystem_\w+)\b/g) ?? []).length, name).toBeGreaterThan(0);
    for (const metric of ours) {
      const isGiven =
        given.has(metric) || given.has(familyOf(metric)) || gateway.includes(`# TYPE ${metric} `);
      expect(isGiven, `${name}: ${metric}`).toBe(true);
    }
  }
  const [, reasons = ""] =
    /type Unfit =([^;]*);/.exec(readFileSync(join(root, "src/api/server/indexState/freshness.ts"), "utf8")) ??
    [];
  const handlers = readFileSync(join(root, "src/indexing/controllers.ts"), "utf8");
  const named = /(namedex_\w+)\{reason!?[=~]+"([^"]*)"/g;
  for (const [, metric, list = ""] of alerts.flatMap(({ expr }) => [...expr.matchAll(named)])) {
    const known = metric === "namedex_anomalies" ? handlers : reasons;
    for (const reason of list.split("|")) expect(known).toContain(`"${reason}"`);
  }
});

test("every alert has a section on the page that says what to do, and the page has no others", () => {
  const page = readFileSync(join(root, "docs/when-it-breaks.md"), "utf8");
  const [, section = ""] = /## Alerts\n([\s\S]*?)\n## /.exec(page) ?? [];
  const titles = [...section.matchAll(/^### (\w+)$/gm)].map(([, title]) => title);
  expect(titles.sort()).toEqual(alerts.map(({ name }) => name).sort());
  const texts = section.split(/^### .*$/m).slice(1);
  for (const text of texts)
    for (const part of ["**Means:**", "**Check:**", "**Do:**"]) expect(text).toContain(part);
});

/** The normal state: each series for an hour, in steps of a minute. */
const healthy: Record<string, string> = {
  'up{job="namedex",instance="a"}': "1x70",
  'namedex_gateway_indexer_synced{job="namedex-gateway",instance="g",indexer="a"}': "1x70",
  'namedex_gateway_part_down{job="namedex-gateway",instance="g",indexer="a",part="node"}': "0x70",
  'namedex_gateway_part_down{job="namedex-gateway",instance="g",indexer="a",part="indexer"}': "0x70",
  'namedex_gateway_part_down{job="namedex-gateway",instance="g",indexer="a",part="database"}': "0x70",
  'namedex_index_ready{job="namedex",instance="a",reason="none"}': "1x70",
  'namedex_index_lag_seconds{job="namedex",instance="a",chain="mainnet"}': "12x70",
  'namedex_failing_block_attempts{job="namedex",instance="a"}': "0x70",
  'namedex_process_start_time_seconds{job="namedex",instance="a"}': "1000x70",
  'namedex_request_seconds_count{job="namedex",instance="a",operation="GET /whois/{name}",status="500"}':
    "3x70",
  'namedex_verify_differences{job="namedex",instance="a"}': "0x70",
  'namedex_verify_timestamp_seconds{job="namedex",instance="a"}': "1x70",
  'namedex_source_false{job="namedex",instance="a",chain="mainnet"}': "0x70",
  'namedex_source_blocks{job="namedex",instance="a",chain="mainnet"}': "900x70",
  'namedex_source_compared_blocks{job="namedex",instance="a",chain="mainnet"}': "900x70",
  'namedex_missing_transactions{job="namedex",instance="a",chain="mainnet"}': "0x70",
  'namedex_failed_logs_total{job="namedex",instance="a"}': "2x70",
  'namedex_anomalies{job="namedex",instance="a",reason="the price is not that of the price feed"}': "_x70",
  'namedex_indexed_block{job="namedex",instance="a",chain="mainnet"}': "1000+5x70",
  'namedex_feed_gap_seconds{job="namedex",instance="a"}': "0x70",
  'namedex_webhook_stalled_seconds{job="namedex",instance="a"}': "0x70",
  'namedex_webhook_oldest_waiting_seconds{job="namedex",instance="a"}': "1x70",
  'namedex_database_connections{job="namedex",instance="a"}': "40x70",
  'namedex_database_max_connections{job="namedex",instance="a"}': "100x70",
  'node_filesystem_avail_bytes{instance="d",mountpoint="/var/lib/postgresql"}': "500x70",
  'node_filesystem_size_bytes{instance="d",mountpoint="/var/lib/postgresql"}': "1000x70",
};

const ready = 'namedex_index_ready{job="namedex",instance="a",reason="none"}';
const readyFor = (reason: string) => ({ [ready]: "_x70", [ready.replace("none", reason)]: "0x70" });
const series = (start: string) => {
  const name = Object.keys(healthy).find((one) => one.includes(start));
  if (name === undefined) throw new Error(`no series ${start}`);
  return name;
};

/** A fault, its effect on the series, all alerts it fires, and whether it takes days to do so. */
const faults: [what: string, changed: Record<string, string>, alerts: string[], when?: "after days"][] = [
  ["nothing", {}, []],
  ["a first build", readyFor("building"), []],
  ["a process that does not answer", { [series("up{")]: "0x70" }, ["NamedexDown"]],
  ["no indexer behind the gateway", { [series("_synced")]: "0x70" }, ["NamedexGatewayWithoutIndexer"]],
  ["a late index", readyFor("late"), ["NamedexNotReady"]],
  ["no database", readyFor("no_database"), ["NamedexDatabaseDown"]],
  ["no indexer", { [series('part="indexer"')]: "1x70" }, ["NamedexIndexerDown"]],
  ["no node", { [series('part="node"')]: "1x70" }, ["NamedexNodeDown"]],
  ["lag", { [series("lag_seconds")]: "400x70" }, ["NamedexLag"]],
  ["a block that fails", { [series("block_attempts")]: "1x70" }, ["NamedexBlockFails"]],
  ["the watchdog again and again", { [series("start_time")]: "1000+10x70" }, ["NamedexRestarts"]],
  ["faults of the program", { [series('status="500"')]: "3+1x70" }, ["NamedexFails"]],
  ["a comparison that differs", { [series("verify_differences")]: "2x70" }, ["NamedexVerifyDiffers"]],
  ["a source that was false", { [series("source_false")]: "1x70" }, ["NamedexSourceFalse"]],
  [
    "transactions that do not arrive",
    { [series("missing_transactions")]: "5x70" },
    ["NamedexTransactionsStalled"],
  ],
  ["logs that fail", { [series("failed_logs")]: "2+1x70" }, ["NamedexLogsFail"]],
  ["another price than the feed's", { [series("namedex_anomalies")]: "1x70" }, ["NamedexPriceFeedDiffers"]],
  ["a feed that stands still", { [series("feed_gap")]: "30+60x70" }, ["NamedexFeedStalled"]],
  ["changes that reach no webhook", { [series("webhook_stalled")]: "30+60x70" }, ["NamedexWebhooksStalled"]],
  ["deliveries that wait", { [series("oldest_waiting")]: "0+60x70" }, ["NamedexWebhooksWait"]],
  ["connections", { [series("database_connections")]: "90x70" }, ["NamedexDatabaseConnections"]],
  ["a full disk", { [series("avail_bytes")]: "100x70" }, ["NamedexDatabaseDisk"]],
  ["no comparison for days", {}, ["NamedexVerifyOld"], "after days"],
  [
    "a source that is not compared",
    { [series("source_compared")]: "100x70" },
    ["NamedexSourceUncompared", "NamedexVerifyOld"],
    "after days",
  ],
];

test("every alert has a fault here", () => {
  const fired = new Set(faults.flatMap(([, , names]) => names));
  expect(alerts.map(({ name }) => name).filter((name) => !fired.has(name))).toEqual([]);
});

test.skipIf(!hasPromtool)(
  "promtool accepts the rules, and each alert fires in its own fault and in no other",
  () => {
    const checked = promtool("check", "rules", alertsFile);
    expect(checked.status, checked.stderr).toBe(0);
    const tests = faults.flatMap(([name, changed, names, when]) => ({
      name,
      interval: when === undefined ? "1m" : "5m",
      input_series: Object.entries({ ...healthy, ...changed }).map(([one, values]) => ({
        series: one,
        values: when === undefined ? values : values.replace("x70", "x800"),
      })),
      // An alert in the list fires, so it has to exist. One that is not in it must not fire.
      promql_expr_test: [
        {
          expr: 'count by (alertname) (ALERTS{alertstate="firing"})',
          eval_time: when === undefined ? "65m" : "65h",
          exp_samples: names.map((alert) => ({ labels: `{alertname="${alert}"}`, value: 1 })),
        },
      ],
    }));
    const folder = mkdtempSync(join(tmpdir(), "namedex-alerts-"));
    const file = join(folder, "tests.json");
    writeFileSync(file, JSON.stringify({ rule_files: [alertsFile], evaluation_interval: "1m", tests }));
    const { status, stdout, stderr } = promtool("test", "rules", file);
    rmSync(folder, { recursive: true, force: true });
    expect(status, stdout + stderr).toBe(0);
  },
);
