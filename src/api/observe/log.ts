import { type DestinationStream, type Logger, pino } from "pino";

/** Lines of JSON on standard output. */
export type Log = Logger;

/**
 * The log of the API. A line holds the declared route and, for an error, its message and stack. It never holds what a
 * caller sent: no names, keys or credentials.
 */
export function createLog(destination: DestinationStream = process.stdout): Log {
  const options = {
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    messageKey: "message",
    formatters: { level },
  };
  return pino(options, destination); // By itself pino writes past `process.stdout`, where secrets are hidden.
}

const level = (word: string) => ({ level: word });
