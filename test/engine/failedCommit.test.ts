import { expect, test } from "vitest";
import { nodeFlags } from "../../engine/nodeFlags.ts";
import type { CommitFault } from "../support/commitCutter.ts";
import { runTrial } from "./runTrial.ts";

test.each<CommitFault>(["lost", "unheard"])("blocks whose commit is %s count once", async (fault) => {
  const outcome = await runTrial("commitTrial.ts", { flags: nodeFlags(), args: [fault] });
  expect(outcome).toEqual({ blocks: 20, rows: 20, isComplete: true });
});
