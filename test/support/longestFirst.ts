import { BaseSequencer, type TestSpecification } from "vitest/node";
import { pathOf, readDurations } from "./durations.ts";

/** Begins with the longest files, so that all workers end at about the same time; no test depends on the order. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const durations = readDurations();
    // A file that no run has seen yet may be a long one.
    const durationOf = ({ moduleId }: TestSpecification) =>
      durations.get(pathOf(moduleId)) ?? Number.POSITIVE_INFINITY;
    const sorted = await super.sort(files);
    return sorted.toSorted(
      (a, b) => compare(aloneOf(a), aloneOf(b)) || compare(durationOf(a), durationOf(b)),
    );
  }
}

/** Files that share a process come one after the other: a process ends when a file follows that has one of its own. */
const aloneOf = ({ project }: TestSpecification): number => (project.config.isolate ? 1 : 0);

const compare = (a: number, b: number): number => (a === b ? 0 : b - a);
