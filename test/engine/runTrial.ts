import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createTestDatabase } from "../support/database.ts";

/** How a trial is run: its arguments, and which Ponder it loads (ponders.ts). */
type Plan = { args?: readonly string[]; env?: Record<string, string>; killAfterMs?: number };

/** Ponder has three thousand files: a trial finds them without a search, as Ponder does in other tests. */
const packagePaths = `--import=${new URL("../support/packagePaths.ts", import.meta.url)}`;

/** Runs a program of this folder, or the text of one, in a separate process, and parses the JSON that it prints. */
export async function runNode<Outcome>(
  program: string,
  { args = [], env = {}, killAfterMs = 0 }: Plan = {},
): Promise<Outcome> {
  const start = program.endsWith(".ts")
    ? [fileURLToPath(new URL(program, import.meta.url))]
    : ["--input-type=module", "--eval", begin + program];
  const { stdout } = await promisify(execFile)(process.execPath, [packagePaths, ...start, ...args], {
    maxBuffer: 2 ** 28,
    timeout: killAfterMs,
    killSignal: "SIGKILL",
    env: { ...process.env, ...env },
  });
  return JSON.parse(stdout) as Outcome;
}

/** In the text of a program `file` imports a module of the Ponder that the environment names. */
const begin = `const { ponderModule: file } = await import(${JSON.stringify(new URL("./ponders.ts", import.meta.url).href)});`;

/** The same for a program whose first argument is a fresh database. */
export async function runTrial<Outcome>(file: string, { args = [], env = {} }: Plan = {}): Promise<Outcome> {
  const { url, drop } = await createTestDatabase();
  try {
    return await runNode<Outcome>(file, { args: [url, ...args], env });
  } finally {
    await drop();
  }
}
