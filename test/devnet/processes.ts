import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
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

/** Asks a process to end by `signal`, waits up to `patience` milliseconds for it, then kills it. */
export async function endProcess(mark: ProcessMark, signal: NodeJS.Signals, patience: number): Promise<void> {
  if (!isRunning(mark)) return;
  send(mark.pid, signal);
  const deadline = Date.now() + patience;
  while (Date.now() < deadline) {
    if (!isRunning(mark)) return;
    await sleep(20);
  }
  send(mark.pid, "SIGKILL");
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended between the look and the signal.
  }
}

/** `/proc/<pid>/stat` is `pid (command) state … starttime …`; the command may hold blanks and brackets itself. */
function birthFromProc(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const [state, startTime] = [fields[0], fields[19]];
    return state === "Z" || state === "X" || startTime === undefined ? null : startTime;
  } catch {
    return null;
  }
}

function birthFromPs(pid: number): string | null {
  try {
    const line = execFileSync("ps", ["-o", "stat=,lstart=", "-p", String(pid)], { encoding: "utf8" }).trim();
    return line === "" || line.startsWith("Z") ? null : line.slice(line.indexOf(" ") + 1).trim();
  } catch {
    return null;
  }
}
