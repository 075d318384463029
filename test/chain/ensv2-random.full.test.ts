import { inject } from "vitest";
import { describeRandomHistories } from "./ensv2Random.ts";

describeRandomHistories({
  seed: inject("seed"),
  runs: Number(process.env.ENSV2_RUNS ?? 20),
  atOnce: Number(process.env.ENSV2_AT_ONCE ?? 4),
  steps: 150,
});
