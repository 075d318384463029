// Also runs as: long
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { indexersTables } from "../../ops/export/tables.ts";
import { isLong } from "../support/size.ts";
import { damageIsFound } from "./export/damage.ts";
import { goesOn } from "./export/goesOn.ts";
import { check, FINAL_BLOCK, type MadeIndex, names, openMadeIndex, type Rows, views } from "./export/made.ts";
import { answersQuestions } from "./export/questions.ts";
import { rowsInFiles, rowsInPostgres } from "./export/read.ts";
import { refusals } from "./export/refusals.ts";
import { addOddRows, changeBeyond, changedTables } from "./export/rows.ts";

// Exports of an index of generated rows, some of which are not final.

let index: MadeIndex;
/** The content of the views at the final block. */
let expected: Map<string, Rows>;
/** An export of everything. */
let folder: string;

beforeAll(async () => {
  index = await openMadeIndex();
  await addOddRows(index, FINAL_BLOCK);
  expected = new Map();
  for (const name of names) expected.set(name, await rowsInPostgres(index.tables.pool, name));
  await changeBeyond(index, FINAL_BLOCK);
  ({ folder } = await index.write());
});

afterAll(() => index?.close());

describe("files of an index", () => {
  test("come from an index with changes that are not final", async () => {
    for (const name of changedTables) {
      expect(await rowsInPostgres(index.tables.pool, name), name).not.toEqual(expected.get(name));
    }
  });

  test.each(names)("%s has the rows of the view at the final block", async (name) => {
    expect(await rowsInFiles(folder, name)).toEqual(expected.get(name));
  });

  test.runIf(isLong()).each(["csv", "ndjson"] as const)("have the same rows as %s", async (format) => {
    const other = await index.write({ format });
    for (const name of names) {
      expect(await rowsInFiles(other.folder, name, format), name).toEqual(expected.get(name));
    }
    expect((await check(index, other.folder)).faults).toEqual([]);
  });

  test("match the index according to the check", async () => {
    const { faults, left, equal } = await check(index, folder);
    expect([faults, left]).toEqual([[], []]);
    expect(equal.at(-1)).toMatch(/^rows match the index: /);
    for (const name of names) expect(equal.at(-1)).toContain(name);
  });
});

damageIsFound(() => ({ index, folder }));
goesOn(() => ({ index, folder, expected }));
refusals(() => ({ index, folder }));
answersQuestions(() => index);

test("the omitted tables are those that the schema reserves for the indexer", () => {
  const own = views
    .filter(({ explanation }) => explanation.startsWith("For the indexer"))
    .map(({ name }) => name);
  expect([...indexersTables].sort()).toEqual(own.sort());
});
