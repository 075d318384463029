import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** A process that can be told from a later one with the same number: `birth` is when it started, as the system writes it. */
export type ProcessMark = { pid: number; birth: string };

/** Marks a running process, or null when there is none with this number (a zombie counts as none). */
export function markProcess(pid: number): ProcessMark | null {
  const birth = process.platform === "linux" ? birthFromProc(pid) : birthFromPs(pid);
  return birth ? { pid, birth } : null;
}

/** Whether exactly this process, and not a later one with the same number, still runs. */
export function isRunning(mark: ProcessMark): boolean {
  return markProcess(mark.pid)?.birth === mark.birth;
}

/** The numbers of the processes that this one started and that still run. */
export function childrenOf(pid: number): number[] {
  if (process.platform === "linux")
    return readdirSync("/proc")
      .map(Number)
      .filter((one) => parentOf(one) === pid);
  try {
    return execFileSync("pgrep", ["-P", String(pid)], { encoding: "utf8" })
      .trim()
      .split("\n")
      .map(Number);
  } catch {
    return []; // This means that there are none.
  }
}

/** Asks a process to end by `signal`, waits up to `patience` milliseconds for it, then kills it and waits for that. */
export async function endProcess(mark: ProcessMark, signal: NodeJS.Signals, patience: number): Promise<void> {
  if (!isRunning(mark)) return;
  sendSignal(mark.pid, signal);
  const deadline = Date.now() + patience;
  while (Date.now() < deadline) {
    if (!isRunning(mark)) return;
    await sleep(20);
  }
  sendSignal(mark.pid, "SIGKILL");
  while (isRunning(mark)) await sleep(20);
}

/**
 * The npm that runs this process as a script, with the shell between them; empty without npm. A `kill -9` of npm
 * reaches only npm itself, so a program that should end with it must watch.
 */
export function npmAncestors(env: Record<string, string | undefined>): ProcessMark[] {
  if (env.npm_lifecycle_event === undefined) return [];
  const parent = markProcess(process.ppid);
  const shell = parent && isShell(parent.pid) ? markProcess(parentOf(parent.pid) ?? 0) : null;
  return [parent, shell].filter((mark) => mark !== null);
}

function isShell(pid: number): boolean {
  return /(^|\/|-)(ba|da|z|k|a)?sh$/.test(commandOf(pid) ?? "");
}

/** The program that a process runs, by its name alone or with its folder; null without such a process. */
export function commandOf(pid: number): string | null {
  return process.platform === "linux" ? (readStat(pid)?.command ?? null) : askPs(pid, "comm=");
}

function parentOf(pid: number): number | null {
  const parent = process.platform === "linux" ? readStat(pid)?.parent : askPs(pid, "ppid=");
  return parent ? Number(parent) : null;
}

/** Sends a signal; a process that has ended already gets none. */
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended between the look and the signal.
  }
}

function birthFromProc(pid: number): string | null {
  const stat = readStat(pid);
  return stat === null || stat.state === "Z" || stat.state === "X" ? null : stat.startTime;
}

/** `/proc/<pid>/stat` is `pid (command) state ppid … starttime …`; the command may hold blanks and brackets itself. */
function readStat(pid: number): { command: string; state: string; parent: string; startTime: string } | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const end = stat.lastIndexOf(")");
    const fields = stat.slice(end + 2).split(" ");
    const [state = "", parent = "", startTime = ""] = [fields[0], fields[1], fields[19]];
    return { command: stat.slice(stat.indexOf("(") + 1, end), state, parent, startTime };
  } catch {
    return null;
  }
}

function birthFromPs(pid: number): string | null {
  const line = askPs(pid, "stat=,lstart=");
  return line === null || line.startsWith("Z") ? null : line.slice(line.indexOf(" ") + 1).trim();
}

function askPs(pid: number, columns: string): string | null {
  try {
    return execFileSync("ps", ["-o", columns, "-p", String(pid)], { encoding: "utf8" }).trim() || null;
  } catch {
    return null;
  }
}
