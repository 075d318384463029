import { type Entry, errorText, type Level } from "./entry.ts";
import { createRepeats } from "./repeats.ts";

type Say = (message: string, fields?: Record<string, unknown>) => void;

/** The log of one program. A field `error` may be an error. */
export type ProgramLog = Record<Level, Say> & {
  program: string;
  /** Takes an entry that another process made. */
  take: (entry: Entry) => void;
};

/** What is written to last: `process.stdout`, where secrets are hidden. */
type Out = { write: (text: string) => unknown };

/**
 * The log of a program, on standard output. What repeats is counted (see repeats.ts).
 *
 * @example
 * const log = createLog({ program: "gateway", format: "json" });
 * log.warn("The indexer is away", { indexer: url, error });
 */
export function createLog({
  program,
  format,
  out = process.stdout,
}: {
  program: string;
  format: LogFormat;
  out?: Out;
}): ProgramLog {
  const repeats = createRepeats((entry) => out.write(formatEntry(entry, format)));
  repeats.start();
  process.once("exit", repeats.say);
  const sayAs =
    (level: Level): Say =>
    (message, { error, ...fields } = {}) =>
      repeats.note({
        time: new Date().toISOString(),
        level,
        program,
        message,
        ...fields,
        ...(error !== undefined && { error: errorText(error) }),
      });
  return {
    program,
    take: repeats.note,
    debug: sayAs("debug"),
    info: sayAs("info"),
    warn: sayAs("warn"),
    error: sayAs("error"),
  };
}

/** `json`: a line of JSON for each entry. `text`: for people at a terminal. */
type LogFormat = "json" | "text";

/** An entry as it is printed. */
export function formatEntry(entry: Entry, format: LogFormat): string {
  if (format === "json") return `${JSON.stringify(entry)}\n`;
  const { time, level, program, message, error, ...fields } = entry;
  const more = Object.entries(fields).map(([name, value]) => ` ${name}=${shown(value)}`);
  const clock = time.slice(0, 19).replace("T", " ");
  const head = `${clock} ${level.toUpperCase().padEnd(5)} ${program}: ${message}${more.join("")}`;
  return error === undefined ? `${head}\n` : `${head}\n  ${error.replaceAll("\n", "\n  ")}\n`;
}

const shown = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));
