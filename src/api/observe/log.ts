import { type DestinationStream, type Logger, pino } from "pino";

/** Lines of JSON on standard output. */
export type Log = Logger;

/**
 * The log of the API. A line holds the declared route and, for an error, its message and stack. It never holds what a
 * caller sent: no names, keys or credentials.
 */
export function createLog(destination?: DestinationStream): Log {
  const options = {
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    messageKey: "message",
    formatters: { level },
  };
  return destination ? pino(options, destination) : pino(options);
}

const level = (word: string) => ({ level: word });
