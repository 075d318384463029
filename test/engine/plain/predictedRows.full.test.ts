import { expect, test } from "vitest";
import { runTrial } from "../runTrial.ts";
import { expectFault } from "./fault.ts";

test("rows are asked for by keys that they cannot have, and PostgreSQL refuses", async () => {
  const { outcomes } = await runTrial<{ outcomes: string[] }>("predictedTrial.ts");
  expectFault("predictedRows", outcomes[0] !== "asked");
  expect(outcomes.slice(0, 4)).toEqual([
    'invalid input syntax for type bigint: "hello"',
    'invalid byte sequence for encoding "UTF8": 0x00',
    'invalid input syntax for type bigint: ""',
    'value "18446744073709551616" is out of range for type bigint',
  ]);
});
