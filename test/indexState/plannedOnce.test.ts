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

function expectNames(first: (string | null)[], second: (string | null)[]): void {
  expect(second).toEqual(first);
  const named = first.filter((name) => name !== null);
  expect(new Set(named).size).toBe(named.length);
  expect(named).toHaveLength(100);
  expect(first.at(-1)).toBeNull();
}

test("a text keeps its name, and beyond the bound texts run without one", async () => {
  const ask = () => Promise.all(texts.map((text) => plannedOnce<string | null>(statement(text))));
  expectNames(await ask(), await ask());
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
    expectNames(await ask(), await ask());
    expect(builds).toBe(150 + 50);
  }
});
