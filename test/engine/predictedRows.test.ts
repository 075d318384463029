import { expect, test } from "vitest";
import { runTrial } from "./runTrial.ts";

type Outcome = { outcomes: string[]; predicted: number; misses: number; found: (string | null)[] };

test("rows that the parameters of a log cannot name are not asked for, and any number of others is", async () => {
  const { outcomes, ...many } = await runTrial<Outcome>("predictedTrial.ts");
  expect([...new Set(outcomes)]).toEqual(["asked"]);
  expect(many).toEqual({ predicted: 14_000, misses: 0, found: ["there", "there", "there", null] });
});
