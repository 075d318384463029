import { NotComparable } from "../../names/comparison/check.ts";
import type { Comparison } from "../../names/comparison/listChecks.ts";
import type { Log } from "./log.ts";
import type { Meters } from "./meters.ts";

/** Callers decide how often names are compared: one line in ten seconds says which columns differ. */
const REPORT_MS = 10_000;

/** Counts the results of callers' comparisons. The log names the differing columns, not the caller's input. */
export function observeComparisons({ meters, log }: { meters: Meters; log: Log }): Comparison["note"] {
  let next = 0;
  return (answers) => {
    const different = new Set<string>();
    for (const { check, chain } of answers) {
      const isCompared = !(chain instanceof NotComparable);
      const outcome = isCompared ? (chain === check.stored ? "equal" : "different") : "not_compared";
      meters.comparedValues.inc({ outcome });
      if (outcome === "different") different.add(`${check.table}.${check.column}`);
    }
    if (different.size === 0 || Date.now() < next) return;
    next = Date.now() + REPORT_MS;
    log.warn({ columns: [...different] }, "the index and the contracts differ");
  };
}
