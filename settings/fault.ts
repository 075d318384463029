import type { z } from "zod";

/** A setting is missing or wrong. The message names it, says what is wrong and gives an example. */
export class SettingsError extends Error {
  override name = "SettingsError";
}

/** What is expected of a variable, and an example to paste; of a secret no message shows what was given. */
export type Expectation = readonly [expected: string, example: string, kind?: "secret"];

/** The variables of a subject, as they are set; empty ones are not. */
export type Given = Record<string, string | undefined>;

/**
 * Reads variables by their shape.
 *
 * @throws SettingsError for all that are missing or wrong, in one message
 */
export function check<Shape extends z.ZodObject>(
  shape: Shape,
  expectations: Record<string, Expectation>,
  given: Given,
): z.output<Shape> {
  const parsed = shape.safeParse(given);
  if (parsed.success) return parsed.data;
  const names = [...new Set(parsed.error.issues.map((issue) => String(issue.path[0])))];
  throw new SettingsError(names.map((name) => complaint(name, given[name], expectations[name])).join("\n"));
}

/** Says of a variable what is wrong with it. */
export function complaint(
  name: string,
  value: string | undefined,
  [expected, example, kind]: Expectation = ["another value", ""],
): string {
  const shown = kind === "secret" ? "is of another form" : `is "${redact(value ?? "")}"`;
  const fault = `${name} ${value === undefined ? "is not set" : shown}`;
  return `${fault}: expected ${expected}, for example ${name}=${example}`;
}

/** Hides what stands between `://user:` and `@`, so that a message never shows a password. */
export const redact = (value: string) => value.replace(/(:\/\/[^:@/]*:)[^@]*@/, "$1***@");
