import { test } from "vitest";
import { expectFault } from "./fault.ts";
import { isTakenUp } from "./twoSteps.ts";

test("what is written right after a file is emptied is not taken up", async () => {
  expectFault("writtenFiles", !(await isTakenUp({ tries: 20 })));
});
