import { expect, test } from "vitest";
import { runTrial } from "./runTrial.ts";

test("a file of the API that is emptied and then written is taken up as it was written", async () => {
  expect(await runTrial("writtenTrial.ts")).toEqual({ isTakenUp: true });
});
