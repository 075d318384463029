import { test } from "vitest";
import { runTrial } from "../runTrial.ts";
import { expectFault } from "./fault.ts";

test("rows that handlers only write stay in memory, without a bound for their number", async () => {
  const { written } = await runTrial<{ written: { kept: boolean[] } }>("keptTrial.ts");
  expectFault("keptRows", written.kept.every(Boolean));
});
