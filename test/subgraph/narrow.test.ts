import { zeroAddress } from "viem";
import { describe, expect, test } from "vitest";
import { isNarrow } from "../../src/api/features/subgraph/query/narrow.ts";
import { planOf } from "../../src/api/features/subgraph/query/plan.ts";
import { envOf } from "../../src/api/features/subgraph/table/entity.ts";
import { ETH_NODE } from "../../src/ens/name.ts";
import { account, contracts } from "../query/rows.ts";

/* Which statements have one plan for all values. */

const NOW = 1_800_000_000;
const [few, many] = [account(0xfe), account(0xa11)];
const COMMON = new Set<string>([zeroAddress, ETH_NODE, many]);

const isListNarrow = (list: string): boolean => {
  const [root] = planOf({ query: `{ ${list} { id } }` }).roots;
  if (root?.kind !== "many") throw new Error(`${list} is no list`);
  return isNarrow(root.list.filter, root.of.entity, COMMON);
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
