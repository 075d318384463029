import { domain } from "ponder:schema";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { chanceOf } from "../../bench/api/chance.ts";
import { answerQuery } from "../../src/api/features/subgraph/query/answer.ts";
import { planOf } from "../../src/api/features/subgraph/query/plan.ts";
import { textAfter } from "../../src/api/features/subgraph/query/textFilters.ts";
import { envOf } from "../../src/api/features/subgraph/table/entity.ts";
import { account, contracts, domainRow } from "../query/rows.ts";
import { createTables, type Tables } from "../query/tables.ts";

/* Names and labels of every kind, found by their beginnings, and in order. */

const NOW = 1_800_000_000;
const byBytes = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other));

describe("the first text after all that begin with a prefix", () => {
  test.each([
    ["eth", "eti"],
    ["a\u{7f}", "a\u{80}"],
    ["a\ud7ff", "a\ue000"],
    ["a\uffff", "a\u{10000}"],
    ["a\u{10ffff}", "b"],
    ["\u{10ffff}", null],
    ["", null],
  ])("%j", (prefix, after) => {
    expect(textAfter(prefix)).toBe(after);
  });
});

const long = "x".repeat(200);
const labels = [
  "eth",
  "ethan",
  "Eth",
  "et",
  "eti",
  "ETH",
  "ethe",
  "e",
  "é",
  "éa",
  "ɇ",
  "a.b",
  "ab",
  "a%b",
  "a_b",
  "a\\b",
  "\ud7ff",
  "\ue000a",
  "\uffff",
  "\u{10000}",
  "\u{10ffff}",
  "\u{10ffff}a",
  "👩‍💻",
  "👩",
  "0",
  "00",
  "[a]",
  "\u212axyz",
  "k1",
  "ix",
  "Ix",
  "\u0130x",
  "\u0131x",
  "[",
  "K",
  long,
  `${long}y`,
  `${"x".repeat(128)}`,
  `${"x".repeat(127)}`,
];
/** A name written by its node, and one with an unknown label. */
const hidden = "[namehash:0000000000000000000000000000000000000000000000000000000000000001]";
const unknown = "[0000000000000000000000000000000000000000000000000000000000000002]";

type Known = { name: string | null; labelName: string | null };
const known: Known[] = [
  ...labels.flatMap((label) => [
    { name: `${label}.eth`, labelName: label },
    { name: `${label}.eth.eth`, labelName: label },
  ]),
  { name: hidden, labelName: "ethhidden" },
  { name: `${unknown}.eth`, labelName: null },
  { name: null, labelName: null },
];

let tables: Tables;
beforeAll(async () => {
  tables = await createTables();
  await tables.writer.insert(domain).values(
    known.map(({ name, labelName }, i) => ({
      ...domainRow(`${i}.made`, { registryOwner: account(1), createdTimestamp: i }),
      fullName: name ?? "",
      label: labelName ?? (name === null ? "" : unknown),
      isLabelKnown: labelName !== null || name === null,
    })),
  );
});
afterAll(() => tables?.drop());

type Field = keyof Known;

async function ask(by: Field, prefix: string, order: string): Promise<Known[]> {
  const query = `query ($where: Domain_filter) { domains(first: 1000, where: $where, ${order}) { name labelName } }`;
  const env = envOf(contracts, NOW);
  const variables = { where: { [`${by}_starts_with`]: prefix } };
  const { domains } = await answerQuery(tables.db, planOf({ query, variables }), env);
  return domains as Known[];
}

const sortedBy = (field: Field, rows: readonly Known[]): (string | null)[] =>
  rows
    .map((one) => one[field])
    .sort((a, b) => (a === null || b === null ? Number(a === null) - Number(b === null) : byBytes(a, b)));

describe.each([["name"], ["labelName"]] as const)("%ss that begin with a text", (by) => {
  const seen = labels.flatMap((label) => [`${label}.eth`, label.slice(0, 1), label.slice(0, 2), label]);
  const chance = chanceOf(inject("seed"));
  const texts = [
    ...new Set(["", "[", "[0", "[n", "e", "eth", "eth.", "eth.e", "ethh", "\u{10ffff}", "zz", long, ...seen]),
  ].filter((text) => text.isWellFormed() && !/[%_\\]/.test(text));
  for (let i = 0; i < 20; i++) texts.push(String.fromCodePoint(32 + chance.below(60)));

  test("match a plain look at each, in byte order", async () => {
    let found = 0;
    for (const text of texts.filter((one) => !/[%_\\]/.test(one))) {
      const expected = known.filter((one) => one[by]?.startsWith(text));
      for (const field of ["name", "labelName"] as const) {
        const ascending = await ask(by, text, `orderBy: ${field}`);
        const descending = await ask(by, text, `orderBy: ${field}, orderDirection: desc`);
        const order = sortedBy(field, expected);
        expect({ text, order: ascending.map((one) => one[field]) }).toEqual({ text, order });
        expect({ text, order: descending.map((one) => one[field]) }).toEqual({
          text,
          order: order.toReversed(),
        });
      }
      expect(await ask(by, text, "orderBy: createdAt")).toEqual(expected);
      found += expected.length;
    }
    expect(found).toBeGreaterThan(150);
  });

  test("by a pattern are those that match it", async () => {
    const names = async (pattern: string) =>
      (await ask(by, pattern, `orderBy: createdAt`)).map((one) => one[by]);
    const meets = (pattern: RegExp) =>
      known.flatMap((one) => (one[by] !== null && pattern.test(one[by]) ? [one[by]] : []));
    expect(await names("a_b")).toEqual(meets(/^a.b/u));
    expect(await names("et%e")).toEqual(meets(/^et.*e/u));
    expect(await names("%th")).toEqual(meets(/^.*th/u));
    expect(await names("a\\%")).toEqual(meets(/^a%/u));
  });
});

test("names that begin with a text in any case match PostgreSQL's own comparison", async () => {
  let found = 0;
  const texts = "e eth ETH eTh. k K \u212a i I \u0130 \u0131 é É a% _t x1".split(" ");
  for (const text of ["", ...texts]) {
    const query =
      "query ($text: String) { domains(first: 1000, where: { name_starts_with_nocase: $text }) { name } }";
    const env = envOf(contracts, NOW);
    const { domains } = await answerQuery(tables.db, planOf({ query, variables: { text } }), env);
    const { rows } = await tables.pool.query<{ name: string }>(
      "select full_name as name from domains where full_name <> '' and full_name ilike $1 order by node",
      [`${text}%`],
    );
    expect({ text, domains }).toEqual({ text, domains: rows });
    found += rows.length;
  }
  expect(found).toBeGreaterThan(50);
});
