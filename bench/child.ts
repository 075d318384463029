import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { trackChild } from "../devnet/children.ts";
import { cpuSecondsOf, peakBytesOf } from "./index/process.ts";

/** What a program took, which has ended. */
export type Taken = { seconds: number; cpuSeconds: number; peakBytes: number; output: string };

/** A program at work. */
export type Working = { pid: number; ended: Promise<Taken> };

/** The process's memory and processor time are gone with it, so they are looked at this often. */
const LOOK_MS = 50;

/** Starts a program of `ops/` in a process of its own. `ended` rejects if it fails. */
export function startProgram(program: string, args: readonly string[], env: Record<string, string>): Working {
  const begun = performance.now();
  const path = fileURLToPath(new URL(`../ops/${program}.ts`, import.meta.url));
  const child = spawn(process.execPath, [path, ...args], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  trackChild(child, "SIGTERM");
  const pid = child.pid ?? 0;
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => lines.push(text));
  }
  const seen = { cpuSeconds: 0, peakBytes: 0 };
  const look = setInterval(() => {
    seen.cpuSeconds = Math.max(seen.cpuSeconds, cpuSecondsOf(pid));
    seen.peakBytes = Math.max(seen.peakBytes, peakBytesOf(pid));
  }, LOOK_MS);
  const ended = (async (): Promise<Taken> => {
    const [code] = await once(child, "close");
    clearInterval(look);
    const output = lines.join("");
    if (code !== 0) throw new Error(`npm run ${program} ended with ${code}:\n${output}`);
    return { seconds: (performance.now() - begun) / 1_000, ...seen, output };
  })();
  return { pid, ended };
}
