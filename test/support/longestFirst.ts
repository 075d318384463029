import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The files that take longest, as the end of a run prints them: begun last, they would be waited for alone. */
const longest = [
  "truth/truth",
  "ops/snapshot",
  "chain/demo",
  "chain/ensv2-random",
  "chain/ensv2-stories",
  "hostile/hostile",
  "hostile/names",
  "ops/release",
  "ops/watchdog",
  "faults/kills",
  "faults/exhaustion",
  "faults/rpc",
  "chain/freshness",
  "gateway/forwarding",
  "gateway/watching",
  "dev/dev",
  "ops/verify",
  "ops/verifyLogs",
  "ops/launch",
  "ops/deploy",
  "ops/rolling",
  "counts/counts",
  "chain/stories",
  "chain/layer2",
  "chain/layer2-answers",
  "chain/ensv2-bounds",
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
