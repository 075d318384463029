import type { ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { endChild, startChild } from "./children.ts";

const projectRoot = fileURLToPath(new URL("..", import.meta.url));
const program = fileURLToPath(new URL("./bin/ponder.js", import.meta.resolve("ponder")));

/** One line of Ponder's log; level 30 tells, 40 warns, 50 is an error. Lines that are no log have level 30. */
export type LogLine = { level: number; msg: string; text: string };

/** Which of Ponder's programs to run and where it answers. */
export type PonderPlan = {
  command: "dev" | "start" | "serve";
  port: number;
  env: Record<string, string | undefined>;
  /** Working directory: Ponder reads a `.env.local` that it finds there. */
  folder: string;
  onLog: (line: LogLine) => void;
};

/** A running Ponder: indexer and API, or the API alone. */
export type Ponder = {
  /** Where it answers. */
  url: string;
  child: ChildProcess;
  pid: number;
  /** Ends it by SIGINT: only then it gives its lock in the database back. */
  stop: () => Promise<void>;
};

/** Starts Ponder on this project with exactly the environment given; its log comes line by line. */
export function startPonder({ command, port, env, folder, onLog }: PonderPlan): Ponder {
  const logging = ["--log-format", "json"];
  // At every start the log says when the server listens.
  const screen = command === "dev" ? ["--disable-ui", "--log-level", "info"] : [];
  const child = startChild({
    command: process.execPath,
    args: [program, command, "--root", projectRoot, "--port", String(port), ...screen, ...logging],
    signal: "SIGINT",
    options: { cwd: folder, env: { ...env, PORT: String(port) }, stdio: ["ignore", "pipe", "pipe"] },
  });
  if (child.pid === undefined) throw new Error("Ponder could not be started");
  for (const stream of [child.stdout, child.stderr]) {
    if (stream) createInterface({ input: stream }).on("line", (text) => onLog(parseLine(text)));
  }
  return { url: `http://127.0.0.1:${port}`, child, pid: child.pid, stop: () => endChild(child) };
}

const ANSWER_PATIENCE_MS = 10_000;

/** Null if no answer comes: another program, which may never answer, can have the port. */
export const ask = (url: string): Promise<Response | null> =>
  fetch(url, { signal: AbortSignal.timeout(ANSWER_PATIENCE_MS) }).catch(() => null);

/** The last indexed block of every chain, by Ponder's name of the chain; null while the API does not answer. */
export async function readStatus(url: string): Promise<Record<string, IndexedBlock> | null> {
  const reply = await ask(`${url}/status`);
  if (!reply?.ok) return null;
  const chains = (await reply.json()) as Record<string, { block: IndexedBlock }>;
  return Object.fromEntries(Object.entries(chains).map(([name, { block }]) => [name, block]));
}

/** A block up to which everything is indexed; `timestamp` in Unix seconds. */
export type IndexedBlock = { number: number; timestamp: number };

/** Whether the backfill is done, the indexes are built, and the index has reached the head: whether it answers. */
export async function isReady(url: string): Promise<boolean> {
  const [ponder, status] = await Promise.all(
    ["/ready", "/indexing-status"].map((path) => ask(`${url}${path}`)),
  );
  if (ponder?.status !== 200 || status?.status !== 200) return false;
  return ((await status.json()) as { ready: boolean }).ready;
}

type Wait = {
  look: () => Promise<boolean>;
  describe: () => string;
  /** The longest time without progress, in milliseconds. */
  timeout: number;
  /** The program's progress. While it changes the wait continues; without it the total time counts. */
  progress?: () => number;
};

/**
 * Asks again and again until `look` answers true. Throws when the program ends first or the time is up;
 * `describe` is added to the message.
 */
export async function until(
  { child }: Pick<Ponder, "child">,
  { look, describe, timeout, progress = () => 0 }: Wait,
): Promise<void> {
  const begin = Date.now();
  let [seen, movedAt] = [progress(), begin];
  while (!(await look())) {
    if (child.exitCode !== null || child.signalCode !== null) {
      throw new Error(`Ponder exited (${child.exitCode ?? child.signalCode})\n${describe()}`);
    }
    if (progress() !== seen) [seen, movedAt] = [progress(), Date.now()];
    if (Date.now() > movedAt + timeout)
      throw new Error(`No progress within ${timeout / 1000} s\n${describe()}`);
    await sleep(Date.now() - begin < SOON_MS ? 50 : 200);
  }
}

/** What has not happened by then takes longer: to ask often would only slow it down. */
const SOON_MS = 1_000;

const levels: Record<string, number> = { trace: 10, debug: 20, info: 30, warn: 40, error: 50, fatal: 60 };
const INFO = 30;

const levelOf = (level: number | string | undefined): number =>
  typeof level === "string" ? (levels[level] ?? INFO) : (level ?? INFO);

/** Ponder writes levels as numbers and `msg`; the API's own log has words and `message`. */
export function parseLine(text: string): LogLine {
  try {
    const { level, msg, message } = JSON.parse(text) as {
      level?: number | string;
      msg?: string;
      message?: string;
    };
    return { level: levelOf(level), msg: msg ?? message ?? "", text };
  } catch {
    return { level: 30, msg: text, text };
  }
}
