import { inject } from "vitest";
import { describeHistories } from "./histories.ts";

// The short form of truth.slow.test.ts and truth.full.test.ts.
describeHistories({ seed: inject("seed"), runs: 1, steps: 40, shrinkSeconds: 120 });
