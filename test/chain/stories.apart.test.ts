// Also runs as: slow
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isSlow } from "../support/size.ts";
import { expectEventsOfStage } from "./eventsOfStage.ts";
import { expectItsEvents } from "./everyEvent.ts";
import { expectEveryLogOnce } from "./onChain.ts";
import { foundControllers, openStoryStage, stage } from "./stories/stage.ts";

/**
 * Each story is told on one chain and one index, because to start them takes longer than to tell a story. The first ones
 * look at all rows of a kind, and later stories have such rows too.
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
  "resolver change": () => import("./stories/resolver-change.ts"),
  subnames: () => import("./stories/subnames.ts"),
  transfer: () => import("./stories/transfer.ts"),
  wrapping: () => import("./stories/wrapping.ts"),
};

/** What `npm test` has of them; `reorg.test.ts` has random acts of all kinds besides. */
const shortStories = ["records", "registration", "renewal", "wrapping"];
const told = Object.entries(stories).filter(([name]) => isSlow() || shortStories.includes(name));

beforeAll(() => openStoryStage());
afterAll(() => stage?.close());

for (const [name, load] of told) {
  describe(name, async () => void (await load()));
}

test("the event log holds every log of the contracts exactly once, and those of the resolver that is not listed", async () => {
  const { logEmitter } = stage.chain.contracts;
  await expectEveryLogOnce(stage, logEmitter ? [logEmitter.address] : [], foundControllers);
});

test.runIf(isSlow())("every list of events has the logs of the chain, each once and in order", async () => {
  expect(await expectEventsOfStage(stage)).toBeGreaterThan(300);
});

test.runIf(isSlow())("every event that only stories have is on the chain", async () => {
  await expectItsEvents("stories", stage.local.deployment, [stage.local]);
});
