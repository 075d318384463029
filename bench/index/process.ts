import { readFileSync } from "node:fs";

/** Ticks per second of the processor clock, as Linux reports them. */
const TICKS = 100;

/** Processor time that a process has used, in seconds; 0 where the system does not tell. */
export function cpuSecondsOf(pid: number): number {
  const text = read(`/proc/${pid}/stat`);
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) / TICKS;
}

/** Most memory that a process has had, in bytes; 0 where the system does not tell. */
export const peakBytesOf = (pid: number): number => readStatus(pid, "VmHWM");

/** Memory that a process has now, in bytes; 0 where the system does not tell. */
export const bytesOf = (pid: number): number => readStatus(pid, "VmRSS");

function readStatus(pid: number, field: string): number {
  const kilobytes = new RegExp(`${field}:\\s+(\\d+) kB`).exec(read(`/proc/${pid}/status`))?.[1];
  return Number(kilobytes ?? 0) * 1_024;
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
