import { expect, test } from "vitest";
import { sizeOf } from "../support/size.ts";
import { playHistories } from "./histories.ts";

test("a follower of the feed holds what the tables hold, after blocks, reorganisations, kills, faults and starts of three chains", async () => {
  const { follower, said } = await playHistories(
    sizeOf({ short: { runs: 18, steps: 60 }, long: { runs: 300, steps: 100 } }),
  );
  expect(follower.changes).toBeGreaterThan(400);
  const healed = said.filter((line) => line.includes("healed"));
  expect(healed.length, "gaps that are healed, and not the begin of an epoch").toBeGreaterThan(3);
}, 3_600_000);
