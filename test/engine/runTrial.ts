import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createTestDatabase } from "../support/database.ts";

/** How a trial is run: Node's flags, and its arguments after the database. */
type Plan = { flags?: readonly string[]; args?: readonly string[] };

/** Runs a program of this folder in a process and on a database of its own, and reads the JSON that it prints. */
export async function runTrial<Outcome>(
  file: string,
  { flags = [], args = [] }: Plan = {},
): Promise<Outcome> {
  const program = fileURLToPath(new URL(file, import.meta.url));
  const { url, drop } = await createTestDatabase();
  try {
    const words = [...flags, program, url, ...args];
    const { stdout } = await promisify(execFile)(process.execPath, words, { maxBuffer: 2 ** 28 });
    return JSON.parse(stdout) as Outcome;
  } finally {
    await drop();
  }
}
