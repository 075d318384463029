import { readdirSync } from "node:fs";
import { constants, setPriority } from "node:os";

/** Lets all other programs of the machine go first, as `nice` does: an API that shares it answers as usual. */
export function takeLowPriority(): void {
  for (const thread of threads()) setPriority(thread, constants.priority.PRIORITY_LOW);
}

/** Linux has a priority for each thread; those that begin later have that of their parent. Elsewhere a process has one: 0 is this. */
function threads(): number[] {
  try {
    return readdirSync("/proc/self/task").map(Number);
  } catch {
    return [0];
  }
}
