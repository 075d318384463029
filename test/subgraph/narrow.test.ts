import { domain } from "ponder:schema";
import { sql } from "ponder";
import { zeroAddress } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { FREQUENT } from "../../src/api/features/subgraph/bounds.ts";
import { answerQuery } from "../../src/api/features/subgraph/query/answer.ts";
import { isNarrow, isPartOfOrder } from "../../src/api/features/subgraph/query/narrow.ts";
import { planOf } from "../../src/api/features/subgraph/query/plan.ts";
import { envOf } from "../../src/api/features/subgraph/table/entity.ts";
import { ETH_NODE } from "../../src/ens/name.ts";
import { account, contracts, domainRow, registeredRow } from "../query/rows.ts";
import { createTables, type Tables } from "../query/tables.ts";

/* Which statements have one plan for all values, and that PostgreSQL stores it. */

const NOW = 1_800_000_000;
const [few, many] = [account(0xfe), account(0xa11)];
const COMMON = new Set<string>([zeroAddress, ETH_NODE, many]);

const listOf = (list: string) => {
  const [root] = planOf({ query: `{ ${list} { id } }` }).roots;
  if (root?.kind !== "many") throw new Error(`${list} is no list`);
  return { ...root.list, entity: root.of.entity };
};

const isListNarrow = (list: string): boolean => {
  const { filter, entity } = listOf(list);
  return isNarrow(filter, entity, COMMON);
};

describe("a list with few matching entities", () => {
  test.each([
    `domains(where: { owner: "${few}" })`,
    `domains(where: { owner: "${few}", expiryDate_gt: 5 })`,
    `domains(where: { and: [{ or: [{ owner: "${few}" }, { registrant: "${few}" }] }, { parent_not: "${ETH_NODE}" }] })`,
    'domains(where: { name_in: ["a.eth", "b.eth"] })',
    `domains(where: { parent: "${ETH_NODE}", labelhash: "0x12" })`,
    `registrations(where: { domain_: { name: "a.eth" } })`,
    `transfers(where: { domain_: { owner: "${few}" } })`,
    `nameRegistereds(where: { registration: "0x12" })`,
    `newOwners(where: { owner: "${few}" })`,
  ])("%s", (list) => {
    expect(isListNarrow(list)).toBe(true);
  });
});

describe("a list planned for its values", () => {
  test.each([
    "domains",
    `domains(where: { owner: "${many}" })`,
    `domains(where: { owner: "${zeroAddress}" })`,
    `domains(where: { owner_in: ["${few}", "${many}"] })`,
    `domains(where: { parent: "${ETH_NODE}" })`,
    `domains(where: { or: [{ owner: "${few}" }, { createdAt_gt: 5 }] })`,
    "domains(where: { or: [] })",
    `domains(where: { owner_not: "${few}" })`,
    "domains(where: { name: null })",
    'domains(where: { name_starts_with: "a" })',
    `addrChangeds(where: { addr: "${few}" })`,
  ])("%s", (list) => {
    expect(isListNarrow(list)).toBe(false);
  });
});

test("the common values are no owner, the parents of most names, and the NameWrapper", () => {
  const { commonValues } = envOf(contracts, NOW);
  expect([...commonValues]).toEqual(expect.arrayContaining([zeroAddress, ETH_NODE, contracts.wrapper]));
});

describe("a list that is part of an order", () => {
  test.each([
    ['domains(orderBy: name, where: { name_starts_with: "a" })', true],
    ['domains(orderBy: labelName, where: { labelName_starts_with: "a", resolvedAddress_not: null })', true],
    ['domains(orderBy: labelName, where: { name_starts_with: "a" })', false],
    ['domains(orderBy: name, where: { or: [{ name_starts_with: "a" }, { name: "b" }] })', false],
    ['domains(orderBy: name, where: { name_starts_with: "a%" })', false],
    ['domains(orderBy: name, where: { name_starts_with: "" })', false],
    [`domains(orderBy: name, where: { name_starts_with: "a", parent: "${ETH_NODE}" })`, false],
  ])("%s: %s", (list, expected) => {
    expect(isPartOfOrder(listOf(list))).toBe(expected);
  });
});

describe("on tables", () => {
  let tables: Tables;
  beforeAll(async () => {
    tables = await createTables();
    const rows = Array.from({ length: 400 }, (_, i) =>
      registeredRow(`name${i}.eth`, i < 300 ? many : account(1_000 + i), 1_900_000_000n),
    );
    await tables.writer.insert(domain).values([domainRow("eth", { registryOwner: few }), ...rows]);
    await tables.pool.query("analyze");
  });
  afterAll(() => tables?.drop());

  const ask = (query: string) => {
    const env = envOf(contracts, NOW);
    return answerQuery(tables.db, planOf({ query }), env);
  };

  test("the names of a holder have one stored plan, and those below eth are planned each time", async () => {
    const names = (owner: string) =>
      `{ domains(orderBy: name, where: { and: [{ or: [{ owner: "${owner}" }, { registrant: "${owner}" }] },
        { expiryDate_gt: 5 }] }) { name parent { name } resolver { texts } registration { domain { name } } } }`;
    for (let i = 0; i < 20; i++) {
      const answer = { name: `name${300 + i}.eth`, parent: { name: "eth" }, resolver: null };
      expect(await ask(names(account(1_300 + i)))).toEqual({
        domains: [{ ...answer, registration: { domain: { name: answer.name } } }],
      });
    }
    const below = `{ domains(orderBy: name, where: { parent: "${ETH_NODE}", expiryDate_gt: 5 }) { name } }`;
    for (let i = 0; i < 10; i++) expect((await ask(below)).domains).toHaveLength(100);
    const { rows } = await tables.db.execute<{ generic: number; custom: number }>(
      sql`select generic_plans::int as generic, custom_plans::int as custom from pg_prepared_statements
        where name like 'frequent_%' and statement like '%expiry%'`,
    );
    // First without a name until it is frequent, then five plans for PostgreSQL to compare with.
    const named = 20 - FREQUENT.afterUses + 1;
    expect(rows).toEqual([{ generic: named - 5, custom: 5 }]);
  });
});
