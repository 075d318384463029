import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import type { Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { endProcess, isRunning, markProcess, type ProcessMark } from "./processes.ts";

const PATIENCE_MS = 8_000;

/** How to start a child: `signal` is the one that lets it end cleanly (SIGINT for Ponder and for PostgreSQL). */
export type ChildPlan = {
  command: string;
  args: readonly string[];
  signal: NodeJS.Signals;
  options?: SpawnOptions;
};

type Tracked = { mark: ProcessMark; signal: NodeJS.Signals };
type RunState = { owner: ProcessMark; ancestors: ProcessMark[]; children: Tracked[] };

const tracked = new Map<number, Tracked>();
let reaper: ChildProcess | undefined;
let own: { file: string; ancestors: ProcessMark[] } | undefined;

/**
 * Starts a program that never outlives this process: it gets a session of its own (a Ctrl-C in the terminal
 * reaches only us, and we end the children in order), and the reaper ends it should we be killed.
 */
export function startChild({ command, args, signal, options = {} }: ChildPlan): ChildProcess {
  const child = spawn(command, args, { stdio: "ignore", ...options, detached: true });
  trackChild(child, signal);
  return child;
}

/** Puts a child that other code spawned under the same care. */
export function trackChild(child: ChildProcess, signal: NodeJS.Signals): void {
  const mark = child.pid === undefined ? null : markProcess(child.pid);
  if (!mark) return;
  tracked.set(mark.pid, { mark, signal });
  tellReaper(["guard", mark.pid, mark.birth, signal]);
  writeRunFile();
  child.once("exit", () => {
    tracked.delete(mark.pid);
    tellReaper(["release", mark.pid]);
    writeRunFile();
  });
}

/** Ends a child with its own signal and waits until it is gone; after eight seconds, unless told, it is killed. */
export async function endChild(child: ChildProcess, patienceMs = PATIENCE_MS): Promise<void> {
  const entry = child.pid === undefined ? undefined : tracked.get(child.pid);
  if (!entry || child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  await endProcess(entry.mark, entry.signal, patienceMs);
  await exited;
}

/** Ends every child that still runs, the youngest first, each by its own signal. */
export async function endChildren(): Promise<void> {
  for (let youngest = [...tracked.values()].at(-1); youngest; youngest = [...tracked.values()].at(-1)) {
    await endProcess(youngest.mark, youngest.signal, PATIENCE_MS);
    tracked.delete(youngest.mark.pid);
  }
}

/**
 * Takes possession of `file`, the list of this process and its children, for as long as it runs. What an earlier
 * run left behind there is ended first: its children, and itself when one of its `ancestors` is gone.
 * Gives the earlier run's number when that is alive and well: then nothing was touched.
 */
export async function claimRunFile(
  file: string,
  ancestors: ProcessMark[],
): Promise<{ runningOwner: number } | null> {
  const left = readRunFile(file);
  if (left && isRunning(left.owner)) {
    if (left.ancestors.every(isRunning)) return { runningOwner: left.owner.pid };
    await endProcess(left.owner, "SIGTERM", 2 * PATIENCE_MS);
  }
  for (const { mark, signal } of [...(left?.children ?? [])].reverse())
    await endProcess(mark, signal, PATIENCE_MS);
  own = { file, ancestors };
  writeRunFile();
  return null;
}

/** Removes the list: every child has ended. */
export function removeRunFile(): void {
  if (own) rmSync(own.file, { force: true });
  own = undefined;
}

function writeRunFile(): void {
  const owner = markProcess(process.pid);
  if (!own || !owner) return;
  const state: RunState = { owner, ancestors: own.ancestors, children: [...tracked.values()] };
  const draft = `${own.file}.draft`; // Renamed when it is whole: a reader never finds a part.
  writeFileSync(draft, `${JSON.stringify(state, null, 2)}\n`);
  renameSync(draft, own.file);
}

function readRunFile(file: string): RunState | null {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as RunState;
  } catch {
    return null; // No earlier run.
  }
}

function tellReaper(words: readonly (string | number)[]): void {
  reaper ??= startReaper();
  reaper.stdin?.write(`${words.join("\t")}\n`);
}

function startReaper(): ChildProcess {
  const script = fileURLToPath(new URL("./reaper.ts", import.meta.url));
  const child = spawn(process.execPath, [script], { detached: true, stdio: ["pipe", "ignore", "ignore"] });
  child.unref();
  (child.stdin as Socket).unref();
  child.stdin?.on("error", () => {}); // A reaper that was killed: the list on disk still serves the next start.
  return child;
}
