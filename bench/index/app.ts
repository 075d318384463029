import type { ChildProcess } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { endChild, startChild } from "../../devnet/children.ts";
import { isReady } from "../../devnet/ponder.ts";
import { freePort } from "../../devnet/ports.ts";
import { ponderWithout } from "../../test/engine/ponders.ts";
import { type Metrics, readMetrics } from "./metrics.ts";
import { cpuSecondsOf, peakBytesOf } from "./process.ts";
import { tellProgress } from "./progress.ts";

const projectRoot = fileURLToPath(new URL("../..", import.meta.url));

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
  /** How many it has to handle, for lines about its progress. */
  events?: number;
  /** More flags of Node for the process that indexes. */
  flags?: readonly string[];
  env?: Record<string, string>;
  /** Patches of Ponder that it lacks. */
  without?: readonly string[];
  /** Called once it is ready, before it is ended. */
  whenReady?: (app: RunningApp) => Promise<void>;
};

/** An app that indexes or has indexed. */
export type RunningApp = {
  url: string;
  pid: number;
  /** When it printed the first line that begins so, and the last one, as milliseconds of `performance.now()`. */
  printed: (words: string) => { first: number; last: number } | null;
  /** @throws if it has ended */
  requireRunning: () => void;
};

/** What one backfill took. */
export type Backfill = {
  events: number;
  /** From the first log that was asked for to the last event; the indexes come after it. */
  seconds: number;
  indexSeconds: number;
  /** From the last event to ready: the indexes, and Ponder's first look at the head. */
  readySeconds: number;
  peakBytes: number;
  cpuSeconds: number;
  metrics: Metrics;
};

type Line = {
  /** When it came, as milliseconds of `performance.now()`. */
  at: number;
  msg?: string;
  duration?: number;
  level?: number;
  error?: { message?: string };
};

/** How long it may take to end: one that was killed keeps its lock, for which the next start waits. */
const PATIENCE_MS = 60_000;

const LAST_EVENT = "Completed backfill indexing across all chains";

/** Indexes the whole chain with an app, and ends it when it is ready. */
export async function runApp(plan: AppPlan): Promise<Backfill> {
  const port = await freePort();
  const lines: Line[] = [];
  const child = startApp(plan, port);
  for (const stream of [child.stdout, child.stderr]) {
    if (stream) createInterface({ input: stream }).on("line", (text) => lines.push(parse(text)));
  }
  const app = watch(child, { ...plan, url: `http://127.0.0.1:${port}` }, lines);
  const progress = tellProgress(plan, () => readMetrics(`${app.url}/metrics`).then(countEvents));
  try {
    while ((await statusOf(`${app.url}/ready`)) !== 200) {
      app.requireRunning();
      await sleep(200);
    }
    const readyAt = performance.now();
    const metrics = await readMetrics(`${app.url}/metrics`);
    const backfill = {
      events: countEvents(metrics),
      seconds: durationOf(lines, LAST_EVENT) / 1_000,
      indexSeconds: durationOf(lines, "Created database indexes") / 1_000,
      readySeconds: (readyAt - (app.printed(LAST_EVENT)?.last ?? Number.NaN)) / 1_000,
      peakBytes: peakBytesOf(app.pid),
      cpuSeconds: cpuSecondsOf(app.pid),
      metrics,
    };
    await plan.whenReady?.(app);
    return backfill;
  } finally {
    progress.stop();
    await endChild(child, PATIENCE_MS);
  }
}

function watch(
  child: ChildProcess,
  { app, url }: Pick<AppPlan, "app"> & { url: string },
  lines: readonly Line[],
): RunningApp {
  return {
    url,
    pid: child.pid ?? 0,
    printed: (words) => {
      const found = lines.filter(({ msg }) => msg?.startsWith(words));
      const [first, last] = [found[0], found.at(-1)];
      return first && last ? { first: first.at, last: last.at } : null;
    },
    requireRunning: () => {
      const hasEnded = child.exitCode !== null || child.signalCode !== null;
      if (hasEnded) throw new Error(`${app} ended:\n${troubles(lines)}`);
    },
  };
}

/** Logs that were handled. */
const countEvents = (metrics: Metrics): number =>
  [...metrics.by("ponder_indexing_completed_events", "event")].reduce((sum, [, count]) => sum + count, 0);

function startApp(plan: AppPlan, port: number): ChildProcess {
  const { app, schema, flags = [] } = plan;
  const words = ["--root", apps[app], "--schema", schema, "--port", String(port), "--log-format", "json"];
  return startChild({
    command: process.execPath,
    args: [...flags, programWithout(plan.without), "start", ...words],
    signal: "SIGINT",
    options: { cwd: folder, env: environmentOf(plan, port), stdio: ["ignore", "pipe", "pipe"] },
  });
}

const programs = new Map<string, string>();

/** Other apps have no port of their own for metrics, so Ponder answers them at its own. */
function programWithout(patches: readonly string[] = []): string {
  const lacking = ["metricsApart", ...patches];
  const key = lacking.join();
  const program = programs.get(key) ?? join(ponderWithout(...lacking), "dist/esm/bin/ponder.js");
  programs.set(key, program);
  return program;
}

/** Where no file of settings is. */
const folder = fileURLToPath(new URL(".", import.meta.url));

function environmentOf({ databaseUrl, schema, rpcUrl, env }: Omit<AppPlan, "app">, port: number) {
  return {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    PORT: String(port),
    ENS_NETWORK: "mainnet",
    RPC_URL_1: rpcUrl,
    RPC_REQUESTS_PER_SECOND: "2000",
    // The generated chain does not grow.
    DATABASE_URL: databaseUrl,
    DATABASE_SCHEMA: schema,
    MAX_LAG_SECONDS: "off",
    ...env,
  };
}

const RESTART_TIMEOUT_MS = 3_600_000;

/**
 * Starts Namedex on a finished index as `npm start` does, ends it, and gives the seconds until callers got answers.
 *
 * @throws if it ends, or gives none for an hour
 */
export async function restart(plan: Omit<AppPlan, "app" | "whenReady">): Promise<number> {
  const port = await freePort();
  const begun = performance.now();
  const child = startChild({
    command: process.execPath,
    args: [fileURLToPath(new URL("../../ops/start.ts", import.meta.url))],
    signal: "SIGINT",
    options: {
      cwd: folder,
      env: { ...environmentOf(plan, port), NODE_OPTIONS: heapOf(plan) },
      stdio: "ignore",
    },
  });
  try {
    while (!(await isReady(`http://127.0.0.1:${port}`))) {
      if (child.exitCode !== null) throw new Error(`npm start ended with ${child.exitCode}`);
      if (performance.now() - begun > RESTART_TIMEOUT_MS)
        throw new Error("npm start was not ready after an hour");
      await sleep(200);
    }
    return (performance.now() - begun) / 1_000;
  } finally {
    await endChild(child);
  }
}

/** What an operator sets for this heap; `npm start` adds the other flags. */
const heapOf = ({ flags = [] }: Pick<AppPlan, "flags">): string =>
  flags.filter((flag) => flag.startsWith("--max-old-space-size")).join(" ");

const statusOf = (url: string) =>
  fetch(url).then(
    ({ status }) => status,
    () => 0,
  );

function parse(text: string): Line {
  try {
    return { ...(JSON.parse(text) as Omit<Line, "at">), at: performance.now() };
  } catch {
    return { msg: text, at: performance.now() };
  }
}

const durationOf = (lines: readonly Line[], msg: string): number =>
  lines.find((line) => line.msg === msg)?.duration ?? 0;

const troubles = (lines: readonly Line[]): string =>
  lines
    .slice(-20)
    .map((line) => JSON.stringify(line))
    .join("\n");
