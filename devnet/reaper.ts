// A small process of its own that outlives the one that started it by a few seconds. It is told which children
// run; when its input closes, however the starter died (kill -9 too), it ends them, the youngest first, so that
// Ponder can still release its lock in the database. Lines, by tabs: "guard, pid, birth, signal" and "release, pid".
import { createInterface } from "node:readline";
import { endProcess, type ProcessMark } from "./processes.ts";

const PATIENCE_MS = 8_000;
const guarded = new Map<number, { mark: ProcessMark; signal: NodeJS.Signals }>();

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});

for await (const line of createInterface({ input: process.stdin })) {
  const [verb, pid, birth, signal] = line.split("\t");
  if (verb === "guard" && birth && signal) {
    guarded.set(Number(pid), { mark: { pid: Number(pid), birth }, signal: signal as NodeJS.Signals });
  }
  if (verb === "release") guarded.delete(Number(pid));
}

for (const { mark, signal } of [...guarded.values()].reverse()) await endProcess(mark, signal, PATIENCE_MS);
