import { expect, test } from "vitest";
import { unlessStored } from "../../engine/commits/failedCommit.ts";
import type { CommitFault } from "../support/commitCutter.ts";
import { runTrial } from "./runTrial.ts";

test.each<CommitFault>(["lost", "unheard"])("blocks whose commit is %s count once", async (fault) => {
  const outcome = await runTrial("commitTrial.ts", { args: [fault] });
  expect(outcome).toEqual({ blocks: 20, rows: 20, isComplete: true });
});

/** What is done in three attempts of a transaction, of which the work fails where it is told to. */
async function attempts({
  fails,
  isStored,
}: {
  fails: readonly boolean[];
  isStored: boolean;
}): Promise<string[]> {
  const done: string[] = [];
  const left = [...fails];
  const forget = () => void done.push("forget");
  const transaction = unlessStored({ isStored: async () => isStored, forget }, async () => {
    done.push("work");
    if (left.shift()) throw new Error("refused");
  });
  for (let attempt = 0; attempt < 3; attempt++) await transaction(undefined).catch(() => {});
  return done;
}

test("work that failed is done again as it is; after a commit that failed its rows are forgotten first", async () => {
  expect(await attempts({ fails: [true, true], isStored: false })).toEqual(["work", "work", "work"]);
  expect(await attempts({ fails: [true], isStored: false })).toEqual(["work", "work", "forget", "work"]);
});

test("work that is stored is not done again", async () => {
  expect(await attempts({ fails: [true], isStored: true })).toEqual(["work", "work"]);
});
