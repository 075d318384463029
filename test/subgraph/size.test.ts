import { domain } from "ponder:schema";
import { afterAll, beforeAll, expect, test } from "vitest";
import { MAX_ANSWER, MAX_SAME } from "../../src/api/subgraph/bounds.ts";
import { subgraphOperation } from "../../src/api/subgraph/operation.ts";
import { planOf } from "../../src/api/subgraph/query/plan.ts";
import { requireSize } from "../../src/api/subgraph/query/size.ts";
import { account, contracts, domainRow } from "../query/rows.ts";
import { createTables, type Tables } from "../query/tables.ts";

const CHILDREN = 900;
/** So long a name that the answer below is a little larger than answers may be. */
const long = `${"a".repeat(Math.ceil(MAX_ANSWER / CHILDREN / MAX_SAME))}.eth`;

let tables: Tables;
beforeAll(async () => {
  tables = await createTables();
  const owned = { registryOwner: account(1) };
  const parent = domainRow(long, owned);
  const children = Array.from({ length: CHILDREN }, (_, i) => ({
    ...domainRow(`child${i}.eth`, owned),
    parentNode: parent.node,
  }));
  await tables.writer.insert(domain).values([parent, ...children]);
});
afterAll(() => tables?.drop());

test.each([
  [MAX_SAME, `more than ${MAX_ANSWER} characters`],
  [MAX_SAME - 1, null],
])("one name at many places, under %i names", async (names, refused) => {
  const fields = Array.from({ length: names }, (_, i) => `a${i}: name`).join(" ");
  const plan = planOf({ query: `{ domains(first: 1000) { parent { ${fields} } } }` });
  const answer = subgraphOperation.handle(
    { plan, share: "caller" },
    { db: tables.db, contracts } as never,
    {} as never,
  );
  if (refused !== null) await expect(answer).rejects.toThrow(refused);
  else expect(String(await answer).length).toBeGreaterThan(0.8 * MAX_ANSWER);
});

test("an entity counts at each place where it stands, with its names of fields", () => {
  const parent = { ["a".repeat(1_000)]: "b".repeat(1_000), none: null };
  const children = (count: number) => ({ domains: Array.from({ length: count }, () => ({ parent })) });
  expect(() => requireSize(children(MAX_ANSWER / 4_000))).not.toThrow();
  expect(() => requireSize(children(MAX_ANSWER / 2_000))).toThrow("ask for fewer");
});
