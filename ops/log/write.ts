import type { Entry } from "./entry.ts";

/** `json`: a line of JSON for each entry. `text`: for people at a terminal. */
export type LogFormat = "json" | "text";

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
