import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectEnsv2AsOnChain } from "./ensv2Judge.ts";
import { openStoryStage, stage } from "./stories/stage.ts";

/**
 * The stories of ENSv2, on one chain and one index as those of ENSv1. The first is the change, after which the others
 * happen. After each, the tables are compared with what the contracts answer.
 */
const stories: Record<string, () => Promise<unknown>> = {
  change: () => import("./stories/ensv2-change.ts"),
  migration: () => import("./stories/ensv2-migration.ts"),
  registration: () => import("./stories/ensv2-registration.ts"),
  reservation: () => import("./stories/ensv2-reservation.ts"),
  renewal: () => import("./stories/ensv2-renewal.ts"),
  roles: () => import("./stories/ensv2-roles.ts"),
  transfer: () => import("./stories/ensv2-transfer.ts"),
  subnames: () => import("./stories/ensv2-subnames.ts"),
};

beforeAll(() => openStoryStage({ ensv2: true }), 300_000);
afterAll(() => stage?.close());

for (const [name, load] of Object.entries(stories)) {
  describe(name, async () => {
    await load();
    test("every table is as the contracts of ENSv2 say", () => expectEnsv2AsOnChain(stage));
  });
}

test("no log was refused or failed", async () => {
  expect(
    await stage.sql("select contract, event_type, anomaly from events where anomaly is not null"),
  ).toEqual([]);
});
