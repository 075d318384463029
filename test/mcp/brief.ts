import type { Result } from "./clients.ts";

/** The answer in a result. Tools return it once, as text. */
export const answerIn = ({ content }: Pick<Result, "content">): Record<string, unknown> =>
  JSON.parse(content[0]?.text ?? "");

/** Fields that tools add to HTTP answers. */
const added = /_date$|^(hint|now|as_of)$/;

/** A tool's answer without the fields HTTP does not have. The rest must be in HTTP's answer. */
export function withoutAdded(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutAdded);
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([name]) => !added.test(name));
  return Object.fromEntries(kept.map(([name, field]) => [name, withoutAdded(field)]));
}
