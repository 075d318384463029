import type { Seen } from "./load.ts";

/** Prints in one line what callers saw of a fault: the figures of docs/operations.md come from here. */
export function tell(fault: string, { wrong, ...seen }: Seen, normalAfterMs?: number): void {
  const line = { fault, ...seen, wrong: wrong.length, ...(normalAfterMs !== undefined && { normalAfterMs }) };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
