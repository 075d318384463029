import { type ChildProcess, execFile, spawn } from "node:child_process";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { trackChild } from "../../devnet/children.ts";
import { bareEnvironment } from "../support/environment.ts";
import type { Run } from "./programHost.ts";

// Runs operators' programs to completion. A start costs more than a second of CPU time, and
// Ponder's build, which some need, four more. So the first run of a command gets its own process,
// and later ones a process kept by programHost.ts.

/** The outcome of a program. */
export type Outcome = { code: number; stdout: string; stderr: string };

const hostProgram = fileURLToPath(new URL("programHost.ts", import.meta.url));
const options = { cwd: tmpdir() };

/** Programs and commands that have already run in their own process. */
const seen = new Set<string>();

/**
 * A process that runs a program repeatedly. Ponder's build leaks some megabytes in it each time.
 */
type Host = { child: ChildProcess; runs: number; ending?: NodeJS.Timeout };

const MOST_RUNS = 20;
/** A process ends after this long without a run. */
const IDLE_MS = 10_000;

/** Processes waiting for the next run, by program. */
const idle = new Map<string, Host[]>();

/**
 * Runs a program with exactly these settings. The first run of each command is a process of its own, whose end is awaited. What
 * later runs leave open is an error.
 *
 * @param file in the folder `ops`
 */
export function runProgram(file: string, args: readonly string[], env: Run["env"]): Promise<Outcome> {
  const path = fileURLToPath(new URL(`../../ops/${file}`, import.meta.url));
  const command = `${file} ${args[0]}`;
  const asked: Run = { args, env: { ...bareEnvironment, ...env } };
  if (seen.has(command)) return runInHost(path, asked);
  seen.add(command);
  return new Promise((resolve) => {
    execFile(process.execPath, [path, ...args], { ...options, env: asked.env }, (error, stdout, stderr) => {
      resolve({ code: Number(error?.code ?? 0), stdout, stderr });
    });
  });
}

async function runInHost(path: string, asked: Run): Promise<Outcome> {
  const waiting = idle.get(path) ?? [];
  idle.set(path, waiting);
  const host = waiting.pop() ?? { child: startHost(path), runs: 0 };
  clearTimeout(host.ending);
  const outcome = await outcomeOf(host.child, asked);
  if (++host.runs === MOST_RUNS) host.child.disconnect();
  else waiting.push(host);
  host.ending = setTimeout(() => {
    if (!waiting.includes(host)) return;
    waiting.splice(waiting.indexOf(host), 1);
    host.child.disconnect();
  }, IDLE_MS).unref();
  return outcome;
}

/** @throws Error if the process has ended in the meantime, with its output */
function outcomeOf(child: ChildProcess, asked: Run): Promise<Outcome> {
  let printed = "";
  const note = (text: Buffer) => {
    printed += text;
  };
  return new Promise<Outcome>((resolve, reject) => {
    const onExit = () => reject(new Error(`The process of a program has ended:\n${printed}`));
    child.stderr?.on("data", note);
    child.once("exit", onExit);
    child.once("message", (outcome) => {
      child.off("exit", onExit);
      child.stderr?.off("data", note);
      resolve(outcome as Outcome);
    });
    child.send(asked);
  });
}

function startHost(path: string): ChildProcess {
  const env = bareEnvironment;
  const child = spawn(process.execPath, [hostProgram, path], {
    ...options,
    env,
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  trackChild(child, "SIGTERM");
  return child;
}
