import { readFileSync } from "node:fs";

const FILE = new URL("answers.json", import.meta.url);

/** The example answers as they were recorded from the demo, by `operationId`. */
export const exampleAnswers: Readonly<Record<string, unknown>> = JSON.parse(readFileSync(FILE, "utf8"));

/** Entries of a list, and characters of a text, that an example shows. */
const MOST_ENTRIES = 2;
const MOST_CHARACTERS = 300;
const MOST_LINES = 24;

/** An answer, short enough to be read: the first entries of each list, and the beginning of long texts. */
export function shortened(value: unknown): unknown {
  if (typeof value === "string") {
    const lines = value.split("\n").slice(0, MOST_LINES).join("\n");
    return value.includes("\n") || value.length <= MOST_CHARACTERS
      ? lines
      : `${value.slice(0, MOST_CHARACTERS)}…`;
  }
  if (Array.isArray(value)) return value.slice(0, MOST_ENTRIES).map(shortened);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shortened(inner)]));
}

/** An example as the page shows it; undefined if none was recorded. */
export function answerText(operationId: string): string | undefined {
  const answer = exampleAnswers[operationId];
  return answer === undefined || typeof answer === "string" ? answer : JSON.stringify(answer, null, 2);
}
