import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { constants, setPriority } from "node:os";

/** Lets all other programs of the machine go first: an API that shares it answers as usual. */
export const takeLowPriority = (): void => lowerPriority(process.pid);

/**
 * Gives a process the lowest priority that the machine has, its threads included; those that begin later have that of their
 * parent. A process that has ended, or whose priority may not be changed, is left as it is.
 */
export function lowerPriority(pid: number): void {
  takeIdlePolicy(pid);
  for (const thread of threadsOf(pid)) {
    try {
      setPriority(thread, constants.priority.PRIORITY_LOW);
    } catch {
      // It has ended already, or the system allows none.
    }
  }
}

/**
 * Linux alone: with the policy for idle time (sched(7), SCHED_IDLE), a thread gives way as soon as another one has work. By `nice`
 * alone it may first use up its slice, some milliseconds, at each step of another program's request. Node has no call for it;
 * util-linux has `chrt`, and where that is missing, `nice` has to do.
 */
function takeIdlePolicy(pid: number): void {
  if (process.platform === "linux") {
    spawnSync("chrt", ["-a", "-i", "-p", "0", String(pid)], { stdio: "ignore" });
  }
}

/** Linux has a priority for each thread. Elsewhere a process has one. */
function threadsOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map(Number);
  } catch {
    return [pid];
  }
}
