import type { z } from "zod";
import type { ValuesOf, Variable, Variables } from "./variable.ts";

/** A setting is missing or wrong. The message names it, says what is wrong and gives an example. */
export class SettingsError extends Error {
  override name = "SettingsError";
}

/** The environment, or a part of it. */
export type Given = Record<string, string | undefined>;

/**
 * Reads the declared variables. An empty variable counts as not set.
 *
 * @throws SettingsError that names all variables that are missing or wrong
 */
export function check<Declared extends Variables>(declared: Declared, given: Given): ValuesOf<Declared> {
  const values: Record<string, unknown> = {};
  const complaints: string[] = [];
  for (const [name, variable] of Object.entries(declared)) {
    const text = given[name] === "" ? undefined : given[name];
    const parsed = variable.shape.safeParse(text);
    if (parsed.success) values[name] = parsed.data;
    else complaints.push(complaint(name, variable, faultOf(parsed.error, text, variable.isSecret)));
  }
  if (complaints.length > 0) throw new SettingsError(complaints.join("\n"));
  return values as ValuesOf<Declared>;
}

/** The line that says what is wrong with a variable and what to write instead. */
export const complaint = (
  name: string,
  { expected, example }: Pick<Variable, "expected" | "example">,
  fault = "is not set",
): string => `${name} ${fault}: expected ${expected}, for example ${name}=${example}`;

function faultOf(error: z.ZodError, text: string | undefined, isSecret: boolean): string {
  if (text === undefined) return "is not set";
  if (isSecret) return "is malformed";
  const [issue] = error.issues;
  const wrongItem = issue?.code === "custom" ? issue.params?.wrongItem : undefined;
  return typeof wrongItem === "string" ? `contains "${redact(wrongItem)}"` : `is "${redact(text)}"`;
}

/** Keeps scheme and host of each URL in a comma-separated list, also of malformed ones: the rest may be a key. */
const redact = (value: string): string =>
  value
    .split(/,(?=\s*[a-z]+:\/\/)/i)
    .map((url) => {
      const [, scheme = "", host = ""] = /^(\s*[a-z][a-z0-9+.-]*:\/\/)?([^/?#]*)/i.exec(url) ?? [];
      if (URL.canParse(url) && scheme !== "") return `${scheme}${new URL(url).host}`;
      return url.includes("@") ? `${scheme}…` : `${scheme}${host}`;
    })
    .join(",");
