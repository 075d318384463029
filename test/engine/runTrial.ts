import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createTestDatabase } from "../support/database.ts";

/** How a trial is run: its arguments after the database, and which Ponder it loads (ponders.ts). */
type Plan = { args?: readonly string[]; env?: Record<string, string> };

/** Runs a program of this folder in a process and on a database of its own, and reads the JSON that it prints. */
export async function runTrial<Outcome>(file: string, { args = [], env = {} }: Plan = {}): Promise<Outcome> {
  const program = fileURLToPath(new URL(file, import.meta.url));
  const { url, drop } = await createTestDatabase();
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [program, url, ...args], {
      maxBuffer: 2 ** 28,
      env: { ...process.env, ...env },
    });
    return JSON.parse(stdout) as Outcome;
  } finally {
    await drop();
  }
}
