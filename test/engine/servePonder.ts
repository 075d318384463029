import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Change } from "../../engine/change.ts";
import { nodeFlags } from "../../engine/nodeFlags.ts";

/** Runs Ponder's HTTP server with these changes alone, asks for paths as they are, and gives their statuses, and what it gave as its metrics (`given`). */
export async function serveWith(
  changes: readonly Change[],
  paths: readonly string[],
): Promise<Record<string, number | string | null>> {
  const program = fileURLToPath(new URL("./serveTrial.ts", import.meta.url));
  const words = [...nodeFlags(changes), program, ...paths];
  const { stdout } = await promisify(execFile)(process.execPath, words);
  return JSON.parse(stdout);
}
