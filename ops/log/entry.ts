import { inspect } from "node:util";

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
  /** An error's text with its stack and causes; other values as text. */
  error?: string;
  [field: string]: unknown;
};

/**
 * The level of a warning of Node itself, which prints them all as errors; null for any other text. A deprecated call is one for the
 * developers of a package.
 */
export function levelOfNode(text: string): "info" | "warn" | null {
  if (!/^\(node:\d+\) /.test(text)) return null;
  return /^\S+ (\[\w+\] )?DeprecationWarning: /.test(text) ? "info" : "warn";
}

/** Longer texts of errors are cut: they may quote what strangers wrote. */
const MAX_ERROR_LENGTH = 8_000;
/** Also for what is no error, such as a request that a node refused. */
export const MAX_FIELD_LENGTH = 1_000;

/** How many errors that an error was made of are said. */
const MOST_CAUSES = 3;

/** The fields of an error, even if it is no `Error` any more but parsed from a log line. */
export type ErrorParts = {
  name?: string;
  message?: string;
  stack?: string;
  cause?: unknown;
  /** Those of an `AggregateError`, whose own message may be empty. */
  errors?: unknown;
  /** What a node answered, where the request to it failed: viem's message has it after the request, which can be long. */
  status?: unknown;
  details?: unknown;
};

/** An error's text with its stack and what caused it; the words of what is none. */
export function errorText(error: unknown): string {
  if (!(error instanceof Error))
    return cutTo(typeof error === "string" ? error : inspect(error), MAX_ERROR_LENGTH);
  const causes = causesOf(error).map((cause) => `caused by: ${cutTo(firstLine(cause), MAX_FIELD_LENGTH)}`);
  return [cutTo(stackOf(error), MAX_ERROR_LENGTH), ...causes].join("\n");
}

/** The stack, under the error's name and message: some libraries empty the stack, or change the message later. */
export function stackOf({ name = "Error", message = "", stack = "", status, details }: ErrorParts): string {
  const [line = "", ...lines] = message.trimStart().split("\n");
  const answered = [status, details].filter((one) => typeof one === "number" || typeof one === "string");
  const head = `${name}: ${line}`;
  if (answered.length > 0) {
    const rest = stack.trim() === "" ? lines.join("\n") : stack.replace(head, "").trimStart();
    return `${head} (${cutTo(answered.join(" ").replaceAll(/\s+/g, " "), MAX_FIELD_LENGTH)})\n${rest}`;
  }
  if (stack.trim() === "") return `${name}: ${message}`;
  return stack.includes(line) ? stack : `${head}\n${stack}`;
}

/** An error's name and the first line of its message; if it has no message, those of what it was made of. */
export function firstLine(error: unknown): string {
  const said = [error, ...causesOf(error)].find((one) => messageOf(one).trim() !== "") ?? error;
  const [line = ""] = messageOf(said).trim().split("\n");
  return said instanceof Error ? `${said.name}: ${line}` : line;
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Errors that an error was made of, the nearest first. */
function causesOf(error: unknown): unknown[] {
  const found = [error];
  for (const one of found) {
    if (found.length > MOST_CAUSES) break; // Causes can be a circle.
    const { errors, cause } = Object(one) as ErrorParts;
    found.push(...(Array.isArray(errors) ? errors : []), ...(cause ? [cause] : []));
  }
  return found.slice(1, MOST_CAUSES + 1);
}

export const cutTo = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length)}…` : text;
