import { expect, test } from "vitest";
import { plannedOnce } from "../../src/api/server/postgres/prepared.ts";

/** A statement that answers with the name under which it runs. */
const statement = (text: string) => {
  const run = (name: string | null) => ({ execute: () => Promise.resolve(name) });
  const { execute } = run(null);
  return Object.assign(execute(), { execute, toSQL: () => ({ sql: text }), prepare: run });
};

test("a text keeps its name, and beyond the bound texts run without one", async () => {
  const texts = Array.from({ length: 150 }, (_, i) => `select ${i}`);
  const ask = () => Promise.all(texts.map((text) => plannedOnce<string | null>(statement(text))));
  const names = await ask();
  expect(await ask()).toEqual(names);
  const named = names.filter((name) => name !== null);
  expect(new Set(named).size).toBe(named.length);
  expect(named.length).toBeLessThanOrEqual(100);
  expect(names.at(-1)).toBeNull();
});
