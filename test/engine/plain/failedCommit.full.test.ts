import { test } from "vitest";
import type { CommitFault } from "../../support/commitCutter.ts";
import { runTrial } from "../runTrial.ts";
import { expectFault } from "./fault.ts";

test.each<CommitFault>(["lost", "unheard"])("blocks whose commit is %s count twice", async (fault) => {
  const { blocks } = await runTrial<{ blocks: number }>("commitTrial.ts", { args: [fault] });
  expectFault("failedCommit", blocks > 20);
});
