import { expect, test } from "vitest";
import { sizeOf } from "../support/size.ts";
import { playHistories } from "./histories.ts";

test("a follower of the feed holds what the tables hold, after blocks, reorganisations, kills and starts of three chains", async () => {
  const { follower } = await playHistories(
    sizeOf({ short: { runs: 12, steps: 60 }, long: { runs: 300, steps: 100 } }),
  );
  expect(follower.changes).toBeGreaterThan(500);
}, 3_600_000);
