import { inject } from "vitest";
import { describeHistories } from "./histories.ts";

// The short form of truth.full.test.ts.
describeHistories({ seed: inject("seed"), runs: 1, steps: 100, shrinkSeconds: 120 });
