// Also runs as: slow
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isSlow } from "../support/size.ts";
import { expectEventsOfStage } from "./eventsOfStage.ts";
import { expectItsEvents } from "./everyEvent.ts";
import { expectEveryLogOnce } from "./onChain.ts";
import { foundControllers, openStoryStage, stage } from "./stories/stage.ts";

/**
 * All stories share one chain and one index, because starting these takes longer than a story. The first ones look at all rows of
 * a kind, which later stories add to.
 */
const stories: Record<string, () => Promise<unknown>> = {
  "old resolvers": () => import("./stories/old-resolvers.ts"),
  "odd labels": () => import("./stories/odd-labels.ts"),
  "late labels": () => import("./stories/late-labels.ts"),
  auction: () => import("./stories/auction.ts"),
  records: () => import("./stories/records.ts"),
  registration: () => import("./stories/registration.ts"),
  "registry migration": () => import("./stories/registry-migration.ts"),
  renewal: () => import("./stories/renewal.ts"),
  "unlisted controllers": () => import("./stories/unlisted-controllers.ts"),
  "unlisted resolver": () => import("./stories/unlisted-resolver.ts"),
  transfer: () => import("./stories/transfer.ts"),
  wrapping: () => import("./stories/wrapping.ts"),
};

/**
 * The part that `npm test` runs; the slow tests run the others. Most subnames and transfers are left to the random histories in
 * test/truth and those of `reorg.test.ts`.
 */
const shortStories = ["records", "registration", "renewal", "wrapping"];
const told = Object.entries(stories).filter(([name]) => isSlow() !== shortStories.includes(name));

beforeAll(() => openStoryStage());
afterAll(() => stage?.close());

for (const [name, load] of told) {
  describe(name, async () => void (await load()));
}

test("the event log holds every log of the contracts, including the unlisted resolver, exactly once", async () => {
  const { logEmitter } = stage.chain.contracts;
  await expectEveryLogOnce(stage, logEmitter ? [logEmitter.address] : [], foundControllers);
});

test.runIf(isSlow())("every list of events has the chain's logs, each once and in order", async () => {
  expect(await expectEventsOfStage(stage)).toBeGreaterThan(300);
});

test("every event that only these stories have is on the chain", async () => {
  const { deployment } = stage.local;
  if (isSlow()) await expectItsEvents("stories", deployment, [stage.local]);
  else await expectItsEvents("stories.test.ts", deployment, [stage.local]);
});
