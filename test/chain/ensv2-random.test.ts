import { inject } from "vitest";
import { isSlow } from "../support/size.ts";
import { describeRandomHistories } from "./ensv2Random.ts";

// Namedex starts after the first history; the slow test has a second one, which it follows.
describeRandomHistories({
  seed: inject("seed"),
  runs: isSlow() ? 2 : 1,
  atOnce: 1,
  steps: isSlow() ? 150 : 80,
});
