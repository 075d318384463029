import { addressRecord, domain } from "ponder:schema";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { chanceOf } from "../../bench/api/chance.ts";
import { answerQuery } from "../../src/api/features/subgraph/query/answer.ts";
import { planOf } from "../../src/api/features/subgraph/query/plan.ts";
import { envOf } from "../../src/api/features/subgraph/table/entity.ts";
import { ETH_NODE } from "../../src/ens/name.ts";
import { account, CHAIN_ID, contracts, domainRow, STATIC_RESOLVER } from "../query/rows.ts";
import { createTables, type Tables } from "../query/tables.ts";

/* The names of an account by every role, compared with a plain evaluation. */

const [me, other, third] = [account(0xa), account(0xb), account(0xc)];
const GRACE = 7_776_000n;
const NAMES = 160;
/** Some of the tokens have ended by then. */
const NOW = 1_700_006_000;

const chance = chanceOf(inject("seed"));
const someone = () =>
  chance.of([
    [5, me],
    [2, other],
    [1, third],
    [2, null],
  ]);
const rows = Array.from({ length: NAMES }, (_, i) => {
  const isUnderEth = chance.is(0.6);
  const wrapperFuses = chance.is(0.5) ? 65_536 : 0;
  const expiry = () => 1_700_000_000n + BigInt(chance.below(12)) * 1_000n;
  const [registrarOwner, wrapperOwner] = [isUnderEth ? someone() : null, someone()];
  return domainRow(isUnderEth ? `n${i}.eth` : `n${i}.a.eth`, {
    registryOwner: someone() ?? other,
    registrarOwner,
    registrarExpiryTimestamp: isUnderEth ? expiry() : null,
    wrapperOwner,
    wrapperFuses,
    wrapperExpiryTimestamp: wrapperOwner && expiry(),
    expiryTimestamp: isUnderEth ? expiry() : null,
    registeredTimestamp: chance.is(0.8) ? 1_600_000_000 + chance.below(12) * 1_000 : null,
    effectiveOwnerAddress: someone(),
    resolver: chance.is(0.5) ? STATIC_RESOLVER : null,
  });
});
type Domain = (typeof rows)[number];
const resolving = new Set(
  rows.filter((row) => row.resolver !== null && chance.is(0.3)).map(({ node }) => node),
);

const statements: string[] = [];
let tables: Tables;
beforeAll(async () => {
  tables = await createTables({ onQuery: (text) => void statements.push(text) });
  await tables.writer.insert(domain).values(rows);
  await tables.writer.insert(addressRecord).values(
    [...resolving].map((node) => ({
      chainId: CHAIN_ID,
      resolver: STATIC_RESOLVER,
      node,
      version: 0,
      coinType: 60n,
      address: me,
      blockNumber: 1,
      transactionHash: account(1),
    })),
  );
});
afterAll(() => tables?.drop());

function expiryOf(row: Domain): bigint | null {
  if (row.parentNode === ETH_NODE) return (row.registrarExpiryTimestamp ?? 0n) + GRACE;
  return row.wrapperOwner && row.wrapperFuses === 65_536 ? (row.wrapperExpiryTimestamp ?? null) : null;
}

const resolves = ({ node }: Domain): boolean => resolving.has(node);
const hasEnded = ({ wrapperFuses, wrapperExpiryTimestamp }: Domain): boolean =>
  wrapperFuses === 65_536 && (wrapperExpiryTimestamp ?? 0n) < NOW;
const isMine = (row: Domain): boolean =>
  row.registryOwner === me ||
  (row.parentNode === ETH_NODE && row.registrarOwner === me) ||
  (row.wrapperOwner === me && !hasEnded(row));

/** Nulls come last ascending, first descending. */
function compared(a: bigint | string | null, b: bigint | string | null): number {
  if (a === b) return 0;
  if (a === null) return 1;
  if (b === null) return -1;
  return a < b ? -1 : 1;
}

test.each(["name", "expiryDate"] as const)(
  "in the order of %s, whatever the effective owner is",
  async (by) => {
    const env = envOf(contracts, NOW);
    const keyOf = by === "name" ? ({ fullName }: Domain) => fullName : expiryOf;
    for (let run = 0; run < 40; run++) {
      const [direction, first, skip] = [
        chance.is(0.5) ? "asc" : "desc",
        1 + chance.below(40),
        chance.below(30),
      ];
      const [withRecords, bound] = [
        chance.is(0.4),
        1_700_000_000n + BigInt(chance.below(12)) * 1_000n + GRACE,
      ];
      const alternatives = [
        "owner",
        "registrant",
        "wrappedOwner",
        ...(withRecords ? ["resolvedAddress"] : []),
      ];
      const roles = alternatives.map((role) => `{ ${role}: "${me}" }`).join(", ");
      const kind = chance.below(4);
      const more = [
        "",
        `, { or: [{ expiryDate_gt: "${bound}" }, { expiryDate: null }] }`,
        `, { expiryDate_lte: "${bound}", expiryDate_gt: "1700003000" }`,
        ', { name_gte: "n3" }',
      ][kind];
      const holds = (row: Domain): boolean => {
        const expiry = expiryOf(row);
        if (kind === 1) return expiry === null || expiry > bound;
        if (kind === 2) return expiry !== null && expiry <= bound && expiry > 1_700_003_000n;
        return kind !== 3 || row.fullName >= "n3";
      };
      const expected = rows
        .filter((row) => (isMine(row) || (withRecords && resolves(row))) && holds(row))
        .sort((a, b) => compared(keyOf(a), keyOf(b)) || compared(a.node, b.node));
      if (direction === "desc") expected.reverse();
      const query = `{ domains(first: ${first}, skip: ${skip}, orderBy: ${by}, orderDirection: ${direction},
      where: { and: [{ or: [${roles}] }${more}] }) { name } }`;
      const { domains } = (await answerQuery(tables.db, planOf({ query }), env)) as {
        domains: { name: string }[];
      };
      const names = expected.slice(skip, skip + first).map(({ fullName }) => fullName);
      expect({ query, names: domains.map(({ name }) => name) }).toEqual({ query, names });
    }
    // Not through the statement for other lists.
    expect(statements.filter((text) => text.includes("hashtextextended")).length).toBeGreaterThan(30);
  },
);

test.each(["registrationDate", "expiryDate"] as const)(
  "registrations in the order of %s, whatever the effective owner is",
  async (by) => {
    const env = envOf(contracts, NOW);
    const keyOf = (row: Domain): bigint =>
      by === "expiryDate" ? (row.expiryTimestamp ?? 0n) : BigInt(row.registeredTimestamp ?? 0);
    const begin = by === "expiryDate" ? 1_700_000_000n : 1_600_000_000n;
    for (let run = 0; run < 40; run++) {
      const [direction, first, skip] = [
        chance.is(0.5) ? "asc" : "desc",
        1 + chance.below(30),
        chance.is(0.5) ? chance.below(20) : 0,
      ];
      const bound = begin + BigInt(chance.below(12)) * 1_000n;
      const [filter, holds] = [
        ["", () => true],
        [`${by}_gt: "${bound}"`, (key: bigint) => key > bound],
        [
          `${by}_lte: "${bound}", labelName_gt: "n3"`,
          (key: bigint, name: string) => key <= bound && name > "n3",
        ],
      ][chance.below(3)] as [string, (key: bigint, name: string) => boolean];
      const expected = rows
        .filter((row) => row.parentNode === ETH_NODE && row.registrarOwner === me)
        .filter((row) => holds(keyOf(row), row.label))
        .sort((a, b) => compared(keyOf(a), keyOf(b)) || compared(a.labelhash ?? "", b.labelhash ?? ""));
      if (direction === "desc") expected.reverse();
      const page = `first: ${first}, skip: ${skip}, orderBy: ${by}, orderDirection: ${direction}`;
      const query = `{ account(id: "${me}") { registrations(${page}, where: { ${filter} }) { labelName } }
        registrations(${page}, where: { registrant: "${me}", ${filter} }) { labelName } }`;
      const answer = await answerQuery(tables.db, planOf({ query }), env);
      const registrations = expected
        .slice(Number(skip), Number(skip) + Number(first))
        .map(({ label }) => ({ labelName: label }));
      expect({ query, answer }).toEqual({ query, answer: { account: { registrations }, registrations } });
    }
  },
);
