import { test } from "vitest";
import { runTrial } from "../runTrial.ts";
import { expectFault } from "./fault.ts";

test.each([10, 300])("of %i rows one that PostgreSQL refuses stops the whole batch", async (rows) => {
  const { outcomes } = await runTrial<{ outcomes: string[] }>("refusedTrial.ts", { args: [String(rows)] });
  expectFault("refusedRows", outcomes[0] !== "stored");
});
