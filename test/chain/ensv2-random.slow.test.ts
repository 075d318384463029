import { inject } from "vitest";
import { describeRandomHistories } from "./ensv2Random.ts";

// Namedex starts after the first history, and follows the second one.
describeRandomHistories({ seed: inject("seed"), runs: 2, atOnce: 1, steps: 150 });
