import { type DestinationStream, type Logger, pino } from "pino";
import { errorText } from "../../../../ops/log/entry.ts";

/** Lines of JSON on standard output. */
export type Log = Logger;

/**
 * The log of the API. A line holds the declared route and, for an error, its text with its stack. It never holds what a
 * caller sent: no names, keys or credentials. The parent process, which reads these lines, adds the program's name.
 */
export function createLog(destination: DestinationStream = process.stdout): Log {
  const options = {
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    messageKey: "message",
    formatters: { level },
    serializers: { error: errorText },
  };
  return pino(options, destination); // By itself pino writes past `process.stdout`, where secrets are hidden.
}

const level = (word: string) => ({ level: word });
