import { setTimeout as sleep } from "node:timers/promises";
import { domain } from "ponder:schema";
import { afterAll, beforeAll, expect, test } from "vitest";
import { MAX_SAME } from "../../src/api/features/subgraph/bounds.ts";
import { subgraphOperation } from "../../src/api/features/subgraph/operation.ts";
import { planOf } from "../../src/api/features/subgraph/query/plan.ts";
import { answerSize, writeAnswer } from "../../src/api/features/subgraph/query/size.ts";
import { MAX_JSON_BYTES } from "../../src/api/server/http/writeReply.ts";
import { account, contracts, domainRow } from "../query/rows.ts";
import { createTables, type Tables } from "../query/tables.ts";

const CHILDREN = 900;
/** A name so long that the answer below slightly exceeds the limit for answers. */
const long = `${"a".repeat(Math.ceil(MAX_JSON_BYTES / CHILDREN / MAX_SAME))}.eth`;

let tables: Tables;
const statements: string[] = [];
beforeAll(async () => {
  tables = await createTables({ onQuery: (sql) => void statements.push(sql) });
  const owned = { registryOwner: account(1) };
  const parent = domainRow(long, owned);
  const children = Array.from({ length: CHILDREN }, (_, i) => ({
    ...domainRow(`child${i}.eth`, owned),
    parentNode: parent.node,
  }));
  await tables.writer.insert(domain).values([parent, ...children]);
});
afterAll(() => tables?.drop());

const ask = (query: string, db = tables.db) =>
  subgraphOperation.handle(
    { plan: planOf({ query }), share: "caller" },
    { db, contracts } as never,
    {} as never,
  ) as Promise<string>;
const tooLarge = { code: "RESPONSE_TOO_LARGE", isCharged: true };

test.each([MAX_SAME, MAX_SAME - 2])("one name at many places, under %i names", async (names) => {
  const fields = Array.from({ length: names }, (_, i) => `a${i}: name`).join(" ");
  const answer = ask(`{ domains(first: 1000) { parent { ${fields} } } }`);
  if (names === MAX_SAME) await expect(answer).rejects.toMatchObject(tooLarge);
  else expect((await answer).length).toBeGreaterThan(0.7 * MAX_JSON_BYTES);
});

test.each([
  [
    "of one list",
    "domains(first: 900) { parent { NAMES } subdomains(first: 3) { subdomains(first: 3) { id } } }",
    3,
  ],
  [
    "of many lists",
    Array.from({ length: 40 }, (_, i) => `r${i}: domains(first: 900, skip: ${i}) { parent { NAMES } }`).join(
      " ",
    ),
    50,
  ],
])("once the answer %s is too large, nothing more is read for it", async (_, lists, most) => {
  const fields = (count: number) => Array.from({ length: count }, (_, i) => `a${i}: name`).join(" ");
  const countOf = async (names: number, outcome: "answered" | "refused") => {
    const before = statements.length;
    const answer = ask(`{ ${lists.replaceAll("NAMES", `id ${fields(names)}`)} }`);
    if (outcome === "answered") await answer;
    else await expect(answer).rejects.toMatchObject(tooLarge);
    const begun = statements.length - before;
    await sleep(200);
    expect(statements.length - before).toBe(begun);
    return begun;
  };
  expect(await countOf(0, "answered")).toBeGreaterThan(most);
  expect(await countOf(MAX_SAME, "refused")).toBeLessThanOrEqual(most);
});

test("an entity counts at each place it appears, with its field names", () => {
  const parent = { ["a".repeat(1_000)]: "b".repeat(1_000), none: null };
  const children = (count: number) => ({ domains: Array.from({ length: count }, () => ({ parent })) });
  expect(Buffer.byteLength(writeAnswer(children(MAX_JSON_BYTES / 2_100)))).toBeLessThan(MAX_JSON_BYTES);
  expect(() => answerSize()(children(MAX_JSON_BYTES / 2_000))).toThrow("request fewer");
});

test("an answer's size is in bytes, not characters", () => {
  const snowmen = "\u2603".repeat(MAX_JSON_BYTES / 2);
  expect(() => writeAnswer({ snowmen })).toThrow("request fewer");
});
