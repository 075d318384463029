import { domain } from "ponder:schema";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { chanceOf } from "../../bench/api/chance.ts";
import { answerQuery } from "../../src/api/features/subgraph/query/answer.ts";
import { planOf } from "../../src/api/features/subgraph/query/plan.ts";
import { envOf } from "../../src/api/features/subgraph/table/entity.ts";
import { account, contracts, domainRow } from "../query/rows.ts";
import { createTables, type Tables } from "../query/tables.ts";

/* Pages of names by a part of them, compared with a plain evaluation, whichever way they are found. */

const NOW = 1_800_000_000;
const NAMES = 12_000;
const chance = chanceOf(inject("seed"));
const pick = <Item>(items: readonly Item[]): Item => items[chance.below(items.length)] as Item;

const frequent = ["mapo", "Zen", "kito"];
const others = ["é", "99", "wa", "lu", "ri", "so", "te", "hu", "da"];
/** A quarter of all names has each of the frequent syllables, a few have `xyz`. */
const syllable = (): string => {
  if (chance.is(0.18)) return pick(frequent);
  return chance.is(0.01) ? "xyz" : pick(others);
};
const wordOf = (): string => Array.from({ length: 5 }, syllable).join("");

const rows = Array.from({ length: NAMES }, (_, i) => {
  const name = `${wordOf()}${i}.eth`;
  const isLabelKnown = !chance.is(0.05);
  return { ...domainRow(name, { registryOwner: account(1 + (i % 3)), createdTimestamp: i }), isLabelKnown };
});
type Domain = (typeof rows)[number];

let statements: string[] = [];
let tables: Tables;
beforeAll(async () => {
  tables = await createTables({ onQuery: (text) => void statements.push(text) });
  for (let from = 0; from < NAMES; from += 1_000)
    await tables.writer.insert(domain).values(rows.slice(from, from + 1_000));
  await tables.pool.query("analyze");
});
afterAll(() => tables?.drop());

const values = {
  id: ({ node }: Domain): string | null => node,
  name: ({ fullName }: Domain): string | null => fullName,
  labelName: ({ label, isLabelKnown }: Domain): string | null => (isLabelKnown ? label : null),
};
type Field = keyof typeof values;
const fields = Object.keys(values) as Field[];

/** Nulls come last ascending, first descending; ties are ordered by id. */
const compared = (field: Field) => (one: Domain, other: Domain) => {
  const [a, b] = [values[field](one), values[field](other)];
  if (a === b) return one.node < other.node ? -1 : 1;
  if (a === null || b === null) return a === null ? 1 : -1;
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
};

const ask = async (query: string, variables: Record<string, unknown>): Promise<string[]> => {
  const env = envOf(contracts, NOW);
  const plan = planOf({ query, variables: variables as never });
  const { domains } = (await answerQuery(tables.db, plan, env)) as { domains: { id: string }[] };
  return domains.map(({ id }) => id);
};

test("match a plain look at each name", async () => {
  const ways = { byLook: 0, byAll: 0 };
  for (let run = 0; run < 160; run++) {
    const [by, direction, of] = [pick(fields), pick(["asc", "desc"]), pick(["name", "labelName"] as const)];
    const [first, skip] = [1 + chance.below(40), chance.is(0.3) ? chance.below(20) : 0];
    const part = pick([
      "mapo",
      "zen",
      "Zen",
      "kito",
      "xyz",
      "dahu",
      "luri",
      "mapoxyz",
      "é9",
      "99",
      "wasoxyz",
    ]);
    const isNocase = chance.is(0.4);
    const [cursor, sign] = [values[by](pick(rows)), direction === "asc" ? "gt" : "lt"];
    const where: Record<string, unknown>[] = [
      { [`${of}_contains${isNocase ? "_nocase" : ""}`]: isNocase ? part.toUpperCase() : part },
    ];
    const isBound = cursor !== null && chance.is(0.5);
    if (isBound) where.push({ [`${by}_${sign}`]: cursor });
    const isOfOne = chance.is(0.2);
    if (isOfOne) where.push({ createdAt_gte: NAMES / 2 });
    const has = (text: string) =>
      isNocase ? text.toLowerCase().includes(part.toLowerCase()) : text.includes(part);
    const comes = (value: string) => {
      const order = Buffer.compare(Buffer.from(value), Buffer.from(cursor ?? ""));
      return direction === "asc" ? order > 0 : order < 0;
    };
    const expected = rows
      .filter((row) => {
        const [text, at] = [values[of](row), values[by](row)];
        const isAfter = !isBound || (at !== null && comes(at));
        return text !== null && has(text) && isAfter && (!isOfOne || row.createdTimestamp >= NAMES / 2);
      })
      .sort(compared(by));
    if (direction === "desc") expected.reverse();
    const query = `query ($where: Domain_filter) { domains(first: ${first}, skip: ${skip}, orderBy: ${by},
      orderDirection: ${direction}, where: $where) { id } }`;
    statements = [];
    const found = await ask(query, { where: { and: where } });
    const page = expected.slice(skip, skip + first).map(({ node }) => node);
    expect({ run, by, direction, where, found }).toEqual({ run, by, direction, where, found: page });
    const lists = statements.filter(
      (text) => text.includes('"domains" as "e0"') || text.includes("select *,"),
    );
    const last = lists.at(-1) ?? "";
    if (last.includes("select *,")) ways.byLook++;
    else ways.byAll++;
  }
  for (const count of Object.values(ways)) expect(count).toBeGreaterThan(15);
});
