import { createHash } from "node:crypto";

/**
 * Chooses which texts of statements are prepared, where callers compose the statements. A name is given for a period, to the
 * first texts that come often enough in it, so that no caller can fill the memory of connections with texts.
 */
export type FrequentPlan = {
  /** Names that are given in one period. A connection that lives no longer than a period has at most twice as many. */
  mostNames: number;
  /** How often a text comes in a period before it gets a name. */
  afterUses: number;
  periodMs: number;
  /** Texts whose uses are counted in a period: others that come first get no name in it. */
  mostCounted: number;
  /** Characters of a text that can get a name. */
  longest: number;
};

/**
 * The name of a prepared text; undefined if it is not prepared. It follows from the text, so it is the same in each
 * period and on each connection.
 *
 * @param now milliseconds of a clock that never goes back
 */
export function frequentNames(
  { mostNames, afterUses, periodMs, mostCounted, longest }: FrequentPlan,
  now: () => number = () => performance.now(),
): (text: string) => string | undefined {
  const uses = new Map<string, number>();
  const named = new Set<string>();
  let end = Number.NEGATIVE_INFINITY;
  return (text) => {
    if (text.length > longest) return undefined;
    if (now() >= end) {
      uses.clear();
      named.clear();
      end = now() + periodMs;
    }
    const name = nameOf(text);
    if (named.has(name)) return name;
    const count = (uses.get(name) ?? 0) + 1;
    if (count > 1 || uses.size < mostCounted) uses.set(name, count);
    if (count < afterUses || named.size >= mostNames) return undefined;
    named.add(name);
    return name;
  };
}

/** PostgreSQL takes 63 characters. */
const nameOf = (text: string): string => `frequent_${createHash("sha256").update(text).digest("base64url")}`;
