import { type Entry, errorText, type Level } from "./entry.ts";
import { createRepeats } from "./repeats.ts";
import { formatEntry, type LogFormat } from "./write.ts";

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
