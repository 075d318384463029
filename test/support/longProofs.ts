import { randomInt } from "node:crypto";
import type { TestProject } from "vitest/node";

/**
 * The long proofs have another seed in each run, so that each run proves more than the one before; FUZZ_SEED=7 gives them
 * one. It is printed, so that what fails can be run again.
 */
export default function setup(project: TestProject): void {
  const seed = Number(process.env.FUZZ_SEED ?? randomInt(2 ** 31));
  console.log(
    `\n The long proofs have the seed ${seed}: FUZZ_SEED=${seed} npm run test:long runs them again\n`,
  );
  project.provide("seed", seed);
  project.provide("form", "long");
}
