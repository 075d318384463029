import type { ChildProcess } from "node:child_process";
import { chmodSync, cpSync, mkdtempSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { projectFiles, root } from "../support/projectFiles.ts";

/** Copies the project into a folder of its own, where only the test edits files: an edit makes Ponder load them again. */
export function copyCheckout(): string {
  const folder = mkdtempSync(join(tmpdir(), "namedex-dev-"));
  chmodSync(folder, 0o755);
  for (const file of projectFiles) cpSync(join(root, file), join(folder, file));
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  return folder;
}

/** Sends a signal to a child and to all of its own children. */
export function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  try {
    process.kill(-(child.pid as number), signal);
  } catch {
    // The group has ended.
  }
}

/** Waits until something holds. */
export async function waitUntil(
  what: () => boolean,
  { timeout, describe }: { timeout: number; describe: () => string },
) {
  const deadline = Date.now() + timeout;
  while (!what()) {
    if (Date.now() > deadline) throw new Error(describe());
    await sleep(50);
  }
}
