import type { TestProject } from "vitest/node";

/** Slow tests have the sizes and the seed of `npm test`, and what it leaves to them. */
export default function setup(project: TestProject): void {
  project.provide("form", "slow");
}
