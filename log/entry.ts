/** How much a line matters. An `error` needs a look; what strangers cause is never one. */
export type Level = "debug" | "info" | "warn" | "error";

/** One line of the log. Other fields say more: `operation`, `status`, `chain`. */
export type Entry = {
  /** ISO 8601, in UTC. */
  time: string;
  level: Level;
  /** `indexer`, `api` or `gateway`. */
  program: string;
  message: string;
  /** An error's text with its stack, all in this one field. */
  error?: string;
  [field: string]: unknown;
};

/** Longer texts of errors are cut: they may quote what strangers wrote. */
const MAX_ERROR_LENGTH = 8_000;
/** Also of what is no error, such as the request that a node refused. */
export const MAX_FIELD_LENGTH = 1_000;

/** An error's text with its stack; the words of what is none. */
export function errorText(error: unknown): string {
  const text = error instanceof Error ? (error.stack ?? `${error.name}: ${error.message}`) : String(error);
  return cutTo(text, MAX_ERROR_LENGTH);
}

export const cutTo = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length)}…` : text;
