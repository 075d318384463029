import type { Answered } from "./askContracts.ts";
import type { ComparisonSetting } from "./listChecks.ts";

/** What a request needs to compare rows with what the contracts answer. */
export type Comparison = {
  setting: ComparisonSetting;
  /** Hears what each comparison found. */
  note: (answers: readonly Answered[]) => void;
};
