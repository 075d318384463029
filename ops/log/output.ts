import type { ChildProcess } from "node:child_process";
import type { Readable } from "node:stream";
import type { Level } from "./entry.ts";
import type { ProgramLog } from "./log.ts";
import { readEntry } from "./read.ts";

/** A longer line is cut into several. */
const MAX_LINE_LENGTH = 65_536;
/** Lines of a stack come together; then they are one entry. */
const STACK_PAUSE_MS = 50;

/** Puts all that a child prints into the log of its parent: one form, in which what repeats is counted. */
export function logOutput({ stdout, stderr }: ChildProcess, log: ProgramLog): void {
  if (stdout !== null) follow(stdout, "info", log);
  if (stderr !== null) follow(stderr, "error", log);
}

function follow(stream: Readable, usual: Level, log: ProgramLog): void {
  let rest = "";
  let text: string[] = [];
  let timer: NodeJS.Timeout | undefined;
  const take = (line: string) => log.take(readEntry(line, { program: log.program, usual }));
  const flush = () => {
    clearTimeout(timer);
    const whole = text.join("\n");
    text = [];
    if (whole.trim() !== "") take(whole);
  };
  const onLine = (line: string) => {
    if (line.startsWith("{")) {
      flush();
      return take(line);
    }
    text.push(line);
    clearTimeout(timer);
    timer = setTimeout(flush, STACK_PAUSE_MS);
    if (text.reduce((sum, one) => sum + one.length, 0) > MAX_LINE_LENGTH) flush();
  };
  stream.setEncoding("utf8");
  stream.on("data", (chunk: string) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    lines.forEach(onLine);
    if (rest.length > MAX_LINE_LENGTH) {
      onLine(rest);
      rest = "";
    }
  });
  stream.on("close", () => {
    if (rest !== "") onLine(rest);
    flush();
  });
}
