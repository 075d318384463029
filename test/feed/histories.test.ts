// Also runs as: long
import { expect, test } from "vitest";
import { isLong } from "../support/size.ts";
import { playHistories } from "./histories.ts";

test("a follower of the feed holds what the tables hold after blocks, reorganisations, kills, faults and starts on three chains", async () => {
  const size = isLong() ? { runs: 300, steps: 100 } : { runs: 4, steps: 60 };
  const { follower, said } = await playHistories(size);
  expect(follower.changes).toBeGreaterThan(isLong() ? 200 : 100);
  const healed = said.filter((line) => line.includes("healed"));
  expect(healed.length, "gaps that are healed, and not the begin of an epoch").toBeGreaterThan(
    isLong() ? 3 : 0,
  );
}, 3_600_000);
