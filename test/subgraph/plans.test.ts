import { domain } from "ponder:schema";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { answerQuery } from "../../src/api/features/subgraph/query/answer.ts";
import { planOf } from "../../src/api/features/subgraph/query/plan.ts";
import { envOf } from "../../src/api/features/subgraph/table/entity.ts";
import { ETH_NODE } from "../../src/ens/name.ts";
import { fillWithMany } from "../query/manyRows.ts";
import { countGathered, countRead, type Query } from "../query/readRows.ts";
import { account, contracts, domainRow } from "../query/rows.ts";
import { createTables, type Tables } from "../query/tables.ts";

/* Lists over many names: each statement reads about as many rows as the page has, however many names exist. */

const NOW = 1_800_000_000;
const NAMES = 40_000;
const FILL_TIMEOUT_MS = 300_000;

/** Names whose label begins like their last one: in a trigram index all names match. */
const likeEth = `update domains set label = 'eth' || label, full_name = 'eth' || full_name where created_block_number % 100 = 7`;
/** Blocks whose numbers have equally many digits, as on mainnet for years. */
const lateBlocks = "update events set block_number = block_number + 1000000";
/** A name with 1,800 names below it, and an owner of 1,500 names. */
const PARENT = `0x${"ab".repeat(32)}` as const;
const largest = account(0xa11ce);
const LARGEST = 1_500;
const children = `update domains set parent_node = '${PARENT}' where created_block_number % 10 >= 7 and created_block_number <= 6000`;
const holdings = `update domains set registry_owner = '${largest}', registrar_owner = '${largest}', effective_owner_address = '${largest}'
  where created_block_number % 10 = 1 and created_block_number <= 15000`;
/** PostgreSQL analyses all names instead of a random sample, and at a fixed moment: the plans are the same in each run. */
const lookAtAll = `alter table domains set (autovacuum_enabled = false),
  alter full_name set statistics 200, alter label set statistics 200, alter node set statistics 200`;
const lookWhenTold = "alter table events set (autovacuum_enabled = false)";
const registered = `update domains set registered_timestamp = 1600000000 + created_block_number where parent_node = '${ETH_NODE}'`;

let tables: Tables;
let queries: Query[] = [];
beforeAll(async () => {
  const onQuery = (sql: string, parameters: unknown[]) => void queries.push({ sql, parameters });
  const fill = fillWithMany(NAMES);
  tables = await createTables({
    fill: async (pool) => {
      for (const statement of [lookAtAll, lookWhenTold]) await pool.query(statement);
      await fill(pool);
      for (const statement of [children, holdings, likeEth, registered, lateBlocks])
        await pool.query(statement);
    },
    onQuery,
  });
  const owned = { registryOwner: account(1) };
  await tables.writer
    .insert(domain)
    .values([domainRow("eth", owned), { ...domainRow("many.eth", owned), node: PARENT }]);
  await tables.pool.query("vacuum analyze");
}, FILL_TIMEOUT_MS);
afterAll(() => tables?.drop());

/** The answer to a query, the table rows that its statements read, and the index entries that led to them. */
async function read(query: string, table: "domains" | "events" = "domains") {
  const env = envOf(contracts, NOW);
  queries = [];
  const answer = (await answerQuery(tables.db, planOf({ query }), env)) as Record<string, object[]>;
  const asked = queries.filter(({ sql }) => sql.includes(`"${table}"`));
  const counts = await Promise.all(asked.map((one) => countRead(tables.pool, one, table)));
  const gathered = await Promise.all(asked.map((one) => countGathered(tables.pool, one)));
  return { found: Object.values(answer)[0]?.length, rows: sumOf(counts), gathered: sumOf(gathered) };
}

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0);

const PAGE = 50;
const page = (list: string, args: string): string => `{ ${list}(first: ${PAGE}, ${args}) { id } }`;

describe("a page reads only its own rows", () => {
  test.each([
    ["domains", 'orderBy: name, where: { name_starts_with: "name" }'],
    ["domains", 'orderBy: name, orderDirection: desc, where: { name_starts_with: "name" }'],
    ["domains", 'orderBy: labelName, where: { name_starts_with: "name", resolver_not: null }'],
    ["domains", 'orderBy: name, where: { name_starts_with: "eth" }'],
    ["domains", 'orderBy: labelName, orderDirection: desc, where: { name_starts_with: "eth" }'],
    ["domains", "orderBy: name"],
    ["domains", 'orderBy: name, where: { name_gt: "name25" }'],
    ["domains", 'orderBy: labelName, orderDirection: desc, where: { labelName_lt: "name25" }'],
    ["domains", "orderBy: labelName"],
    ["domains", "orderBy: createdAt, orderDirection: desc"],
    ["domains", `orderBy: createdAt, orderDirection: desc, where: { parent: "${ETH_NODE}" }`],
    ["domains", "orderBy: createdAt, where: { createdAt_gt: 1600020000 }"],
    ["domains", "orderBy: expiryDate, where: { expiryDate_gt: 1720000000 }"],
    ["domains", "orderBy: registration__registrationDate, where: { registration_: { expiryDate_gt: 0 } }"],
    ["registrations", "orderBy: registrationDate, orderDirection: desc"],
    ["registrations", "orderBy: registrationDate, where: { registrationDate_gt: 1600020000 }"],
    ["registrations", "orderBy: expiryDate, where: { expiryDate_gt: 1720000000 }"],
    ["registrations", "orderBy: domain__createdAt, orderDirection: desc"],
    ["domains", 'where: { labelName_contains_nocase: "NAM" }'],
    ["domains", 'orderBy: name, where: { name_contains: "ame" }'],
    ["domains", 'orderBy: createdAt, orderDirection: desc, where: { name_ends_with: ".eth" }'],
    ["domains", 'orderBy: createdAt, where: { createdAt_gt: 1600020000, name_contains: "nam" }'],
  ])("%s, %s", async (list, args) => {
    const { found, rows } = await read(page(list, args));
    expect(found).toBe(PAGE);
    expect(rows).toBeLessThan(4 * PAGE);
  });

  test("below a name with very many", async () => {
    for (const args of [
      "orderBy: createdAt, orderDirection: desc",
      'orderBy: name, where: { name_starts_with: "name" }',
    ]) {
      const { rows } = await read(
        `{ domain(id: "${ETH_NODE}") { ${page("subdomains", args).slice(1, -1)} } }`,
      );
      expect(rows).toBeLessThan(5 * PAGE);
    }
  });

  test.each(["asc", "desc"])("below a name with many, by name, %s", async (direction) => {
    const isOver = 'and: [{ or: [{ expiryDate_gt: "1720000000" }, { expiryDate: null }] }]';
    const args = `orderBy: name, orderDirection: ${direction}, where: { ${isOver} }`;
    const { rows } = await read(`{ domain(id: "${PARENT}") { ${page("subdomains", args).slice(1, -1)} } }`);
    expect(rows).toBeLessThan(5 * PAGE);
  });

  test("of events of an interface, wherever it begins", async () => {
    for (const id of ["", "1020000-7", "1039"]) {
      const { found, rows } = await read(page("domainEvents", `where: { id_gt: "${id}" }`), "events");
      expect(found).toBe(PAGE);
      expect(rows).toBeLessThan(6 * PAGE);
    }
  });
});

describe("lists of few entities are found through what leads to them", () => {
  const owner = account(4_096 + 39_000);

  test.each([
    ["domains", `orderBy: createdAt, where: { owner: "${owner}" }`],
    ["domains", `orderBy: name, where: { owner: "${owner}" }`],
    ["domains", `orderBy: expiryDate, where: { registrant: "${owner}" }`],
    ["registrations", `orderBy: registrationDate, where: { registrant: "${owner}" }`],
    ["domains", 'orderBy: createdAt, where: { name: "name39001.eth" }'],
    ["domains", 'orderBy: createdAt, where: { name_starts_with: "name39001" }'],
    ["domains", 'orderBy: name, where: { name_contains: "39001" }'],
  ])("%s, %s", async (list, args) => {
    const { found, rows } = await read(page(list, args));
    expect(found).toBeGreaterThan(0);
    expect(rows).toBeLessThan(60);
  });
});

describe("lists of an owner of very many names", () => {
  /** A page for each relation by which a name belongs to the owner, and some more: not all of the owner's names. */
  const FEW = 8 * PAGE;
  const roles = ["owner", "registrant", "wrappedOwner"].map((role) => `{ ${role}: "${largest}" }`).join(", ");
  const ofRoles = (more: string) => `where: { and: [{ or: [${roles}] }, { parent_not: "0x00" }${more}] }`;
  const isOver = ', { or: [{ expiryDate_gt: "1710000000" }, { expiryDate: null }] }';

  test.each([
    `orderBy: name, ${ofRoles("")}`,
    `orderBy: name, ${ofRoles(', { name_gt: "name14" }')}`,
    `orderBy: name, orderDirection: desc, ${ofRoles(isOver)}`,
    `orderBy: expiryDate, ${ofRoles("")}`,
    `orderBy: expiryDate, ${ofRoles(isOver)}`,
    `orderBy: expiryDate, orderDirection: desc, skip: 20, ${ofRoles(', { expiryDate_lt: "1715000000" }')}`,
  ])("domains, %s reads only the rows on the page", async (args) => {
    const { found, rows, gathered } = await read(page("domains", args));
    expect(found).toBe(PAGE);
    expect(rows).toBeLessThan(FEW);
    expect(gathered).toBeLessThan(FEW);
  });

  test.each([
    ["domains", `orderBy: createdAt, where: { owner: "${largest}", createdAt_gt: 1600000000 }`],
    ["domains", `orderBy: labelName, ${ofRoles(isOver)}`],
    ["registrations", `orderBy: registrationDate, orderDirection: desc, where: { registrant: "${largest}" }`],
    ["registrations", `orderBy: expiryDate, where: { registrant: "${largest}", expiryDate_gt: 1705000000 }`],
  ])("%s, %s reads its names, and no more of any index", async (list, args) => {
    const { found, rows, gathered } = await read(page(list, args));
    expect(found).toBe(PAGE);
    expect(rows).toBeLessThan(1.1 * LARGEST);
    expect(gathered).toBeLessThan(3.1 * LARGEST);
  });
});

test("the guard would detect a list that is sorted", async () => {
  expect((await read(page("domains", "orderBy: isMigrated"))).rows).toBeGreaterThanOrEqual(NAMES);
});
