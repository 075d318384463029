import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/** Runs Ponder's HTTP server, asks for paths as they are, and gives their statuses, and what it gave as its metrics (`given`). */
export async function serve(paths: readonly string[]): Promise<Record<string, number | string | null>> {
  const program = fileURLToPath(new URL("./serveTrial.ts", import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...paths]);
  return JSON.parse(stdout);
}
