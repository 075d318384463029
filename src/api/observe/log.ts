import { type DestinationStream, type Logger, pino } from "pino";

/** Lines of JSON on standard output. */
export type Log = Logger;

/**
 * The log of the API. Lines hold routes as they are declared, never what a caller sent: no names, keys or credentials,
 * and of an error its message and stack.
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
