import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
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

type Kept = { mark: ProcessMark; signal: NodeJS.Signals };
type Household = { keeper: ProcessMark; children: Kept[] };

const kept = new Map<number, Kept>();
let warden: ChildProcess | undefined;
let householdFile: string | undefined;

/**
 * Starts a program that never outlives this process: it gets a session of its own (a Ctrl-C in the terminal
 * reaches only us, and we end the children in order), and the warden ends it should we be killed.
 */
export function startChild({ command, args, signal, options = {} }: ChildPlan): ChildProcess {
  const child = spawn(command, args, { stdio: "ignore", ...options, detached: true });
  keepChild(child, signal);
  return child;
}

/** Puts a child that somebody else spawned under the same care. */
export function keepChild(child: ChildProcess, signal: NodeJS.Signals): void {
  const mark = child.pid === undefined ? null : markProcess(child.pid);
  if (!mark) return;
  kept.set(mark.pid, { mark, signal });
  tellWarden(["guard", mark.pid, mark.birth, signal]);
  writeHousehold();
  child.once("exit", () => {
    kept.delete(mark.pid);
    tellWarden(["release", mark.pid]);
    writeHousehold();
  });
}

/** Ends a child with its own signal and waits until it is gone; after eight seconds it is killed. */
export async function endChild(child: ChildProcess): Promise<void> {
  const entry = child.pid === undefined ? undefined : kept.get(child.pid);
  if (!entry || child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  await endProcess(entry.mark, entry.signal, PATIENCE_MS);
  await exited;
}

/**
 * Takes possession of `file`, the list of this process and its children, for as long as it runs. What an earlier
 * process left behind there is ended first. Gives the keeper's number when that process is alive: then there is
 * nothing to take over, and nothing was touched.
 */
export async function takeHousehold(file: string): Promise<{ runningKeeper: number } | null> {
  const left = readHousehold(file);
  if (left && left.keeper.pid !== process.pid && isRunning(left.keeper)) {
    return { runningKeeper: left.keeper.pid };
  }
  for (const { mark, signal } of [...(left?.children ?? [])].reverse())
    await endProcess(mark, signal, PATIENCE_MS);
  householdFile = file;
  writeHousehold();
  return null;
}

/** Removes the list: every child has ended. */
export function leaveHousehold(): void {
  if (householdFile) rmSync(householdFile, { force: true });
  householdFile = undefined;
}

function writeHousehold(): void {
  const keeper = markProcess(process.pid);
  if (!householdFile || !keeper) return;
  const household: Household = { keeper, children: [...kept.values()] };
  writeFileSync(householdFile, `${JSON.stringify(household, null, 2)}\n`);
}

function readHousehold(file: string): Household | null {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Household;
  } catch {
    return null; // No earlier run, or one that was killed while it wrote.
  }
}

function tellWarden(words: readonly (string | number)[]): void {
  warden ??= startWarden();
  warden.stdin?.write(`${words.join("\t")}\n`);
}

function startWarden(): ChildProcess {
  const script = fileURLToPath(new URL("./warden.ts", import.meta.url));
  const child = spawn(process.execPath, [script], { detached: true, stdio: ["pipe", "ignore", "ignore"] });
  child.unref();
  (child.stdin as Socket).unref();
  child.stdin?.on("error", () => {}); // A warden that was killed: the list on disk still serves the next start.
  return child;
}
