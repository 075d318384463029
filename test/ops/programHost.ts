import { setTimeout as sleep } from "node:timers/promises";
import type { Outcome } from "./programs.ts";

/*
 * `node programHost.ts <entry file>`: runs an operator's program once per message, in one process.
 * All modules except the entry file are loaded once. See programs.ts.
 */

/** One run: what a separate process would get. */
export type Run = { args: readonly string[]; env: Record<string, string | undefined> };

/** How long anything a run has opened may take to close. */
const CLOSING_MS = 60_000;

const [, , entry = ""] = process.argv;
let runs = 0;
let printed = { stdout: "", stderr: "" };

for (const name of ["stdout", "stderr"] as const) {
  process[name].write = ((chunk: string | Uint8Array, ...rest: unknown[]) => {
    printed[name] += typeof chunk === "string" ? chunk : Buffer.from(chunk).toString();
    const written = rest.find((one) => typeof one === "function");
    if (typeof written === "function") written();
    return true;
  }) as typeof process.stdout.write;
}

/** What keeps a process from ending. */
const openResources = (): string[] =>
  process.getActiveResourcesInfo().filter((type) => type !== "Immediate" && type !== "TickObject");

/** A separate process would not end before all of this is closed. */
async function untilClosed(before: number): Promise<void> {
  for (const deadline = Date.now() + CLOSING_MS; openResources().length > before; await sleep(5)) {
    if (Date.now() < deadline) continue;
    throw new Error(`The program does not end: ${openResources().join(", ")} are open`);
  }
}

async function run({ args, env }: Run): Promise<Outcome> {
  printed = { stdout: "", stderr: "" };
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, JSON.parse(JSON.stringify(env)));
  process.argv = [process.execPath, entry, ...args];
  process.exitCode = undefined;
  const before = openResources().length;
  await import(`${entry}?run=${++runs}`);
  const code = Number(process.exitCode ?? 0);
  process.exitCode = undefined;
  await untilClosed(before);
  return { code, ...printed };
}

process.setMaxListeners(0); // Each run listens for signals.
process.on("message", async (asked: Run) => process.send?.(await run(asked)));
process.on("disconnect", () => process.exit());
