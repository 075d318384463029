import { readFileSync } from "node:fs";

const FILE = new URL("answers.json", import.meta.url);

/** The example answers as they were recorded from the demo, by `operationId`. */
export const exampleAnswers: Readonly<Record<string, unknown>> = JSON.parse(readFileSync(FILE, "utf8"));

/** An example as the page shows it; undefined if none was recorded. */
export function answerText(operationId: string): string | undefined {
  const answer = exampleAnswers[operationId];
  return answer === undefined || typeof answer === "string" ? answer : JSON.stringify(answer, null, 2);
}
