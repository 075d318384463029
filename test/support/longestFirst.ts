import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The files that take longest, as the end of a run prints them: begun last, they would be waited for alone. */
const longest = [
  "truth/truth",
  "hostile/names",
  "hostile/hostile",
  "faults/rpc",
  "faults/exhaustion",
  "gateway/forwarding",
  "gateway/watching",
  "chain/stories",
  "ops/release",
  "dev/dev",
  "ops/rolling",
  "ops/watchdog",
  "faults/kills",
  "ops/deploy",
  "faults/reorgs",
  "faults/strangers",
  "faults/indexers",
  "faults/postgres",
  "devnet-contracts/deployment",
  "dev/devnet",
];

const placeOf = ({ moduleId }: TestSpecification): number => {
  const place = longest.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`));
  return place < 0 ? longest.length : place;
};

/** Begins with the longest files, so that all workers end at about the same time; no test depends on the order. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toSorted((a, b) => placeOf(a) - placeOf(b));
  }
}
