import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Change } from "../../../engine/change.ts";
import { nodeFlags } from "../../../engine/nodeFlags.ts";
import { endChild, startChild } from "../../devnet/children.ts";
import { freePort } from "../../devnet/ports.ts";
import { type Metrics, readMetrics } from "./metrics.ts";
import { cpuSecondsOf, peakBytesOf } from "./process.ts";

const projectRoot = fileURLToPath(new URL("../../..", import.meta.url));
const program = fileURLToPath(new URL("./bin/ponder.js", import.meta.resolve("ponder")));

/** The programs that are compared: Namedex, empty handlers, and one row for each event. */
export const apps = {
  namedex: projectRoot,
  floor: fileURLToPath(new URL("apps/floor", import.meta.url)),
  insert: fileURLToPath(new URL("apps/insert", import.meta.url)),
} as const;

export type AppName = keyof typeof apps;

/** What to run and where. */
export type AppPlan = {
  app: AppName;
  databaseUrl: string;
  schema: string;
  rpcUrl: string;
  /** More flags of Node for the process that indexes. */
  flags?: readonly string[];
  /** The changes to Ponder to index with; the usual ones unless told. */
  changes?: readonly Change[];
  env?: Record<string, string>;
};

/** What one backfill took. */
export type Backfill = {
  events: number;
  /** From the first log that was asked for to the last event; the indexes come after it. */
  seconds: number;
  indexSeconds: number;
  peakBytes: number;
  cpuSeconds: number;
  metrics: Metrics;
};

type Line = { msg?: string; duration?: number; level?: number; error?: { message?: string } };

/** Indexes the whole chain with an app, and ends it when it is ready. */
export async function runApp(plan: AppPlan): Promise<Backfill> {
  const port = await freePort();
  const lines: Line[] = [];
  const child = startApp(plan, port);
  for (const stream of [child.stdout, child.stderr]) {
    if (stream) createInterface({ input: stream }).on("line", (text) => lines.push(parse(text)));
  }
  try {
    while ((await statusOf(`http://127.0.0.1:${port}/ready`)) !== 200) {
      if (child.exitCode !== null) throw new Error(`${plan.app} ended:\n${troubles(lines)}`);
      await sleep(200);
    }
    const metrics = await readMetrics(`http://127.0.0.1:${port}/metrics`);
    return {
      events: countEvents(metrics),
      seconds: durationOf(lines, "Completed backfill indexing across all chains") / 1_000,
      indexSeconds: durationOf(lines, "Created database indexes") / 1_000,
      peakBytes: peakBytesOf(child.pid ?? 0),
      cpuSeconds: cpuSecondsOf(child.pid ?? 0),
      metrics,
    };
  } finally {
    await endChild(child);
  }
}

/** Logs that were handled. */
const countEvents = (metrics: Metrics): number =>
  [...metrics.by("ponder_indexing_completed_events", "event")].reduce((sum, [, count]) => sum + count, 0);

function startApp(plan: AppPlan, port: number) {
  const { app, databaseUrl, schema, rpcUrl, flags = [], changes, env } = plan;
  const words = ["--root", apps[app], "--schema", schema, "--port", String(port), "--log-format", "json"];
  return startChild({
    command: process.execPath,
    args: [...nodeFlags(changes), ...flags, program, "start", ...words],
    signal: "SIGINT",
    options: {
      cwd: fileURLToPath(new URL(".", import.meta.url)),
      env: {
        ...{ PATH: process.env.PATH, HOME: process.env.HOME, PORT: String(port) },
        ...{ ENS_NETWORK: "mainnet", RPC_URL_1: rpcUrl, RPC_REQUESTS_PER_SECOND: "2000" },
        ...{ DATABASE_URL: databaseUrl, DATABASE_SCHEMA: schema, ...env },
      },
      stdio: ["ignore", "pipe", "pipe"],
    },
  });
}

const statusOf = (url: string) =>
  fetch(url).then(
    ({ status }) => status,
    () => 0,
  );

function parse(text: string): Line {
  try {
    return JSON.parse(text) as Line;
  } catch {
    return { msg: text };
  }
}

const durationOf = (lines: readonly Line[], msg: string): number =>
  lines.find((line) => line.msg === msg)?.duration ?? 0;

const troubles = (lines: readonly Line[]): string =>
  lines
    .slice(-20)
    .map((line) => JSON.stringify(line))
    .join("\n");
