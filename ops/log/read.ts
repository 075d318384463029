import {
  cutTo,
  type Entry,
  type ErrorParts,
  errorText,
  type Level,
  levelOfNode,
  MAX_FIELD_LENGTH,
  stackOf,
} from "./entry.ts";

/** Ponder's numbers for levels are pino's. */
const levels: Record<string | number, Level> = {
  10: "debug",
  20: "debug",
  30: "info",
  40: "warn",
  50: "error",
  60: "error",
  trace: "debug",
  debug: "debug",
  info: "info",
  warn: "warn",
  error: "error",
  fatal: "error",
};

/** A contract that reverts or answers nothing: any stranger can deploy one, so this is no error of the service. */
const ofStrangersContract = /execution reverted|ContractFunction(Execution|Reverted|ZeroData)Error/;

/** A log of a stranger that is passed over, and a stop that was asked for: Ponder calls both an error. */
const isHarmless = (message: string, code: unknown): boolean =>
  message === "Passed over a log whose handler failed" ||
  (message === "Failed to shutdown within 5 seconds" && code === 0);

/**
 * A printed line as a log entry: JSON lines of the API and of Ponder, or any other text.
 *
 * @param usual level of a text that has none
 */
export function readEntry(line: string, { program, usual }: { program: string; usual: Level }): Entry {
  const fields = parse(line);
  if (fields === null) return ofText(line, { program, usual });
  const { time, level, msg, message, error, duration, PRINT_KEYS: _, ...others } = fields;
  const text = textOfError(error);
  const words = String(message ?? msg ?? "");
  const isOfStranger = text !== null && ofStrangersContract.test(text);
  const read = levels[level as string | number] ?? "info";
  return {
    time: new Date((time as string | number | undefined) ?? Date.now()).toISOString(),
    level: read === "error" && (isOfStranger || isHarmless(words, others.code)) ? "warn" : read,
    program,
    message: words,
    ...Object.fromEntries(Object.entries(others).map(([name, value]) => [name, cut(name, value)])),
    ...(typeof duration === "number" && { ms: Math.round(duration) }),
    ...(text !== null && { error: text }),
  };
}

/** The first line is the message; a text of several lines is an error with its stack. */
function ofText(text: string, { program, usual }: { program: string; usual: Level }): Entry {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return {
    time: new Date().toISOString(),
    level: levelOfNode(text.trimStart()) ?? usual,
    program,
    message: cutTo(lines[0]?.trim() ?? "", MAX_FIELD_LENGTH),
    ...(lines.length > 1 && { error: errorText(text) }),
  };
}

function parse(line: string): Record<string, unknown> | null {
  if (!line.startsWith("{")) return null;
  try {
    const read: unknown = JSON.parse(line);
    return typeof read === "object" && read !== null ? (read as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

/** Ponder logs an error as an object: the subject is in `where` and `meta`, its parts in `aggregateErrors`. */
function textOfError(error: unknown): string | null {
  if (error === undefined || error === null) return null;
  if (typeof error !== "object") return errorText(error);
  const { where, meta, aggregateErrors, ...parts } = error as ErrorParts & Record<string, unknown>;
  const own =
    parts.message === undefined && parts.stack === undefined ? JSON.stringify(parts) : stackOf(parts);
  const causes = Array.isArray(aggregateErrors) ? (aggregateErrors as ErrorParts[]) : [];
  const lines = [own, ...causes.map(stackOf), where && `where: ${where}`, meta];
  return errorText(lines.filter(Boolean).join("\n"));
}

/** Ponder writes a duration with one unit too much (`2ss`) in `last_active`. */
const cut = (name: string, value: unknown): unknown => {
  if (typeof value !== "string") return value;
  return cutTo(name === "last_active" ? value.replace(/ss$/, "s") : value, MAX_FIELD_LENGTH);
};
