import { expect, test } from "vitest";
import { nodeFlags } from "../../engine/nodeFlags.ts";
import { runTrial } from "./runTrial.ts";

type Outcome = { outcomes: string[]; predicted: number; misses: number; found: (string | null)[] };

const predict = (flags: string[]) => runTrial<Outcome>("predictedTrial.ts", { flags });

test("rows that the parameters of a log cannot name are not asked for, and any number of others is", async () => {
  const { outcomes, ...many } = await predict(nodeFlags());
  expect([...new Set(outcomes)]).toEqual(["asked"]);
  expect(many).toEqual({ predicted: 14_000, misses: 0, found: ["there", "there", "there", null] });
});

test("Ponder itself asks for them, and PostgreSQL refuses", async () => {
  const { outcomes } = await predict([]);
  expect(outcomes.slice(0, 4)).toEqual([
    'invalid input syntax for type bigint: "hello"',
    'invalid byte sequence for encoding "UTF8": 0x00',
    'invalid input syntax for type bigint: ""',
    'value "18446744073709551616" is out of range for type bigint',
  ]);
  expect(outcomes.at(-1)).not.toBe("asked");
});
