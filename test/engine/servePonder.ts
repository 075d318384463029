import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/** Runs Ponder's HTTP server, asks for paths as they are, and gives their statuses, and what it gave as its metrics (`given`). */
export const serve = (paths: readonly string[]): Promise<Record<string, number | string | null>> =>
  runNode("serveTrial.ts", paths);

/** Runs a program of this folder that needs no database, and reads the JSON that it prints. */
export async function runNode<Outcome>(file: string, args: readonly string[] = []): Promise<Outcome> {
  const program = fileURLToPath(new URL(file, import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...args]);
  return JSON.parse(stdout) as Outcome;
}
