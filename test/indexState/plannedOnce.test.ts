import { expect, test } from "vitest";
import type { Db } from "../../src/api/server/postgres/db.ts";
import { builtOnce, plannedOnce } from "../../src/api/server/postgres/prepared.ts";

/** A statement that answers with the name under which it runs. */
const statement = (text: string) => {
  const run = (name: string | null) => ({ execute: () => Promise.resolve(name) });
  const { execute } = run(null);
  return Object.assign(execute(), { execute, toSQL: () => ({ sql: text }), prepare: run });
};

const texts = Array.from({ length: 150 }, (_, i) => `select ${i}`);

/** Expects the same names twice, each once, and none beyond the bound. Returns how many there are. */
function expectNames(first: (string | null)[], second: (string | null)[]): number {
  expect(second).toEqual(first);
  const named = first.filter((name) => name !== null);
  expect(new Set(named).size).toBe(named.length);
  expect(first.at(-1)).toBeNull();
  return named.length;
}

test("a text keeps its name, and beyond the bound texts run without one", async () => {
  const ask = () => Promise.all(texts.map((text) => plannedOnce<string | null>(statement(text))));
  // Texts of other tests in this process count, too.
  expect(expectNames(await ask(), await ask())).toBeLessThanOrEqual(100);
});

test("a title is built once for each database, and beyond the bound for each call", async () => {
  const dbs = [{}, {}] as Db[];
  for (const db of dbs) {
    let builds = 0;
    const build = (text: string) => () => {
      builds++;
      return statement(text);
    };
    const ask = () =>
      Promise.all(texts.map((text) => builtOnce<string | null>(db, `title of ${text}`, build(text), {})));
    expect(expectNames(await ask(), await ask())).toBe(100);
    expect(builds).toBe(150 + 50);
  }
});
