// Also runs as: long
import { domain } from "ponder:schema";
import { drizzle } from "drizzle-orm/node-postgres";
import { namehash } from "viem";
import { beforeAll, describe, expect, test } from "vitest";
import { addressSortColumns } from "../../src/api/names/query/page.ts";
import { relations } from "../../src/api/names/rules/relations.ts";
import type { Endpoint } from "../../src/api/server/http/endpoint.ts";
import type { Db } from "../../src/api/server/postgres/db.ts";
import { ETH_NODE } from "../../src/ens/name.ts";
import { countNames } from "../counts/exactCounters.ts";
import { operations } from "../support/operations.ts";
import schema from "../support/ponderSchema.ts";
import { isLong, sizeOf } from "../support/size.ts";
import { openApi, pathOf, type TestApi, useApi, withQuery } from "./api.ts";
import { ETH_REGISTRY, MIGRATOR, contracts as ofEnsv2 } from "./ensv2.ts";
import { contracts as ofLayer2s } from "./layer2.ts";
import { nameLists } from "./lists.ts";
import { fillWithMany } from "./manyRows.ts";
import { countRead, type Plan, type Query } from "./readRows.ts";
import { account, CHAIN_ID, NOW, registeredRow, STATIC_RESOLVER, transaction } from "./rows.ts";
import { beginFeed, setProgress, useTables } from "./tables.ts";

const MANY_DOMAINS = sizeOf({ short: 60_000, long: 200_000 });
const FILL_TIMEOUT_MS = 900_000;
/** Smaller tables are read as a whole, and rightly so. */
const LARGE_TABLE_ROWS = 5_000;

const FOREIGN_LOGS = 5_000;

/** Every .eth name is reserved in ENSv2, and every twentieth already exists there. */
const reservations = `insert into ensv2_entries (chain_id, registry, storage_id, labelhash, label, token_id, expiry, is_registered,
     number, created_block_number, registered_by, registered_timestamp, registered_block_number, registered_transaction_hash)
   select distinct on (left(labelhash, 58)) ${CHAIN_ID}, '${ETH_REGISTRY}', left(labelhash, 58) || '00000000', labelhash, label, 1,
     expiry_timestamp, i % 20 = 0, i, 1, case when i % 20 = 0 then '${MIGRATOR}' end,
     case when i % 20 = 0 then 1700000000 + i end, case when i % 20 = 0 then i end, case when i % 20 = 0 then '${transaction(8)}' end
   from (select *, created_block_number as i from domains where parent_node = '${ETH_NODE}') as name`;
const moved = `update domains set registry = '${ETH_REGISTRY}' where parent_node = '${ETH_NODE}' and created_block_number % 20 = 0`;
const opened = `insert into ensv2_phases (chain_id, phase, block_number, block_timestamp, transaction_hash)
   values (${CHAIN_ID}, 'open', 1, 1, '${transaction(8)}')`;

/** Logs by a stranger's contract about a name that the stranger does not own. */
const foreignLogs = `insert into events (chain_id, block_number, log_index, ordinal, block_timestamp, transaction_hash,
     contract, contract_address, event_type, node, key, value)
   select ${CHAIN_ID}, i, 9, 0, i, '0x' || lpad(to_hex(i), 64, '0'), 'RESOLVER', '${account(0xbad)}', 'TextChanged',
     '${namehash("alice.eth")}', 'url', 'no word of its owner' from generate_series(1, ${FOREIGN_LOGS}) as i`;

let queries: Query[] = [];
const tables = useTables({
  fill: fillWithMany(MANY_DOMAINS),
  onQuery: (sql, parameters) => void queries.push({ sql, parameters }),
});
const api = useApi(tables, NOW);
let largeTables: Set<string>;

const addressTypes = [...relations, "any", "any,former_owner,resolver"];

/**
 * An owner of very many names. Some have another owner in the registry, and some it only manages.
 */
const heavy = account(0x4ea7);
const HEAVY_NAMES = 20_000;

const heavyNames = `insert into domains (chain_id, node, parent_node, labelhash, label, is_label_known, label_length, full_name,
     is_name_known, registry_owner, is_migrated, resolver, is_wrapped, effective_owner_address, expiry_timestamp,
     registered_timestamp, created_block_number, created_timestamp)
   select ${CHAIN_ID}, '0x' || lpad(to_hex(i + 268435456), 64, '0'), '${namehash("heavy.eth")}', '0x' || lpad(to_hex(i), 64, '0'),
     'h' || i, true, 6, 'h' || i || '.heavy.eth', true, case when i % 7 = 0 then '${account(0xbeef)}' else '${heavy}' end, true,
     '${STATIC_RESOLVER}', false, case when i % 5 = 0 then '${account(0xbeef)}' else '${heavy}' end,
     case when i % 3 = 0 then null else ${NOW} + i end, case when i % 11 = 0 then null else 1600000000 + i end, i, 1600000000 + i
   from generate_series(1, ${HEAVY_NAMES}) as i`;

/** An owner of four names among the generated rows. */
const owner = account(4_096 + 7);

beforeAll(async () => {
  await beginFeed(tables);
  await setProgress(tables, { chainId: CHAIN_ID, block: MANY_DOMAINS, time: NOW });
  const resolver = { resolver: STATIC_RESOLVER };
  await tables.writer
    .insert(domain)
    .values([registeredRow("alice.eth", owner, BigInt(NOW + 1_000), resolver)]);
  for (const statement of [foreignLogs, reservations, moved, opened, heavyNames])
    await tables.pool.query(statement);
  await countNames(tables.pool, NOW);
  await tables.pool.query("vacuum analyze");
  const { rows } = await tables.pool.query<{ name: string }>(
    "select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace and reltuples > $1",
    [LARGE_TABLE_ROWS],
  );
  largeTables = new Set(rows.map(({ name }) => name));
}, FILL_TIMEOUT_MS);

/** A request for each operation, with parameters that name one thing. */
function requestOf(
  { method, path }: Endpoint,
  { get, post } = api,
  others: Record<string, string> = {},
): () => Promise<{ status: number; body: unknown }> {
  const values: Record<string, string> = {
    name: "alice.eth",
    address: owner,
    hash: namehash("alice.eth"),
    key: "url",
    agentId: "1",
    ...others,
  };
  const url = pathOf({ path }, values);
  if (method === "get") return () => get(url);
  // As many as each of them accepts.
  const names = Array.from({ length: 100 }, (_, i) => `name${i}.eth`);
  const addresses = Array.from({ length: 200 }, (_, i) => account(4_096 + i));
  const inputs = [...names.slice(0, 50), ...addresses.slice(0, 50)];
  return () => post(url, { names, addresses, inputs });
}

/** Tables that a statement reads from the first row to the last. */
async function findScans({ sql, parameters }: Query): Promise<string[]> {
  const { rows } = await tables.pool.query<{ "QUERY PLAN": { Plan: Plan }[] }>(
    `explain (format json) ${sql}`,
    parameters,
  );
  const scans = (plan: Plan): string[] => [
    ...(plan["Node Type"] === "Seq Scan" ? [plan["Relation Name"] ?? ""] : []),
    ...(plan.Plans ?? []).flatMap(scans),
  ];
  return rows.flatMap((row) => row["QUERY PLAN"].flatMap(({ Plan }) => scans(Plan)));
}

/** Runs an operation and records its statements. */
async function observe(request: () => Promise<{ status: number; body: unknown }>): Promise<Query[]> {
  queries = [];
  const { status, body } = await request();
  expect([200, 502], JSON.stringify(body)).toContain(status);
  return queries;
}

/** Expects at least this number of statements, and that none reads a large table from end to end. */
async function expectIndexed(
  request: () => Promise<{ status: number; body: unknown }>,
  atLeast = 0,
): Promise<void> {
  const asked = await observe(request);
  for (const query of asked) {
    const scanned = (await findScans(query)).filter((table) => largeTables.has(table));
    expect(scanned, query.sql).toEqual([]);
  }
  expect(asked.length, "the statements of the operation").toBeGreaterThanOrEqual(atLeast);
}

/** Expects that each of a request's statements reads fewer rows of a table. */
async function expectFew(path: string, table: string, most: number, of = api): Promise<void> {
  for (const query of await observe(() => of.get(path)))
    expect(await countRead(tables.pool, query, table), query.sql).toBeLessThan(most);
}

const isAboutOneThing = ({ group, path }: Endpoint) =>
  group !== "Statistics" && path !== "/search-domains" && path !== "/agents";
const listed = operations.map((operation) => ({ operation, title: `${operation.method} ${operation.path}` }));
const ofOneThing = listed.filter(({ operation }) => isAboutOneThing(operation));
const lists = [
  ...addressTypes.map((type) => `/address/${owner}/domains?address_type=${type}`),
  ...["q=name12345", "q=name12345.eth&search_full_name=true", `registrar_owner=${owner}`].map(
    (search) => `/search-domains?${search}`,
  ),
];
/** Everything about a name that strangers' contracts log, too. */
const aboutAlice = ["events", "events?page=1", "registration-history", "records/text/url/history"].map(
  (path) => `/domain/alice.eth/${path}`,
);

test("the tables are large enough for PostgreSQL to prefer its indexes", () => {
  expect([...largeTables]).toEqual(expect.arrayContaining(["domains", "events", "holders", "text_records"]));
});

/** The fewest statements of an operation: one, unless it does not read the index. */
const fewestOf = ({ index }: Endpoint) => (index === "not read" ? 0 : 1);

describe("queries for one name, hash or address use an index", () => {
  // Without ENSv2, no contract is a registry with roles.
  test.each(ofOneThing)("$title", ({ operation }) =>
    expectIndexed(
      requestOf(operation),
      operation.path.startsWith("/registry/{address}/role") ? 0 : fewestOf(operation),
    ),
  );

  test.each([...lists, ...addressTypes.map((type) => `/address/${owner}/domain-count?address_type=${type}`)])(
    "%s",
    (path) => expectIndexed(() => api.get(path)),
  );
});

describe("no list filter makes PostgreSQL read a large table from end to end", () => {
  const filtered = nameLists.flatMap(({ path, filters }) =>
    Object.entries(filters).map(
      ([filter, values]) => `${path}&${filter}=${Object.keys(values)[0]}&total=false`,
    ),
  );

  test.each(filtered)("%s", (path) => expectIndexed(() => api.get(path)));
});

describe("a page after a cursor reads one range of an index, wherever it begins", () => {
  const orders = ["full_name", "label", "expiry_timestamp"].flatMap((column) =>
    ["asc", "desc"].map((dir) => `sort_by=${column}&sort_dir=${dir}`),
  );
  const ordered = [
    ...orders.map((order) => `/search-domains?total=false&${order}`),
    ...["asc", "desc"].map(
      (dir) => `/search-domains?total=false&resolver=${STATIC_RESOLVER}&sort_dir=${dir}`,
    ),
    ...["asc", "desc"].map((dir) => `/domain/eth/subdomains?sort_dir=${dir}`),
    "/domain/eth/subdomains?include_ownerless=false&total=false",
    `/search-domains?total=false&sort_by=expiry_timestamp&expiry_windows=1700000000-1790000000,1790000002-1999999999`,
  ];

  test.each(ordered)("%s", async (list) => {
    const late = Math.floor(MANY_DOMAINS / 2 / 200);
    for (const from of [`page=1&page_size=200`, `page=${late}&page_size=200`]) {
      const { next_cursor } = await api.ask(withQuery(list, from));
      expect(next_cursor).toBeTypeOf("string");
      await expectFew(withQuery(list, `page_size=25&cursor=${next_cursor}`), "domains", 500);
    }
  });

  test.each(["asc", "desc"])("names with unknown labels last, %s", async (dir) => {
    const list = `/search-domains?total=false&unknown_labels=last&page_size=200&sort_dir=${dir}`;
    let cursor = "";
    for (let pages = 0; pages < 3; pages++) {
      await expectFew(`${list}${cursor}`, "domains", 500);
      cursor = `&cursor=${(await api.ask(`${list}${cursor}`)).next_cursor}`;
    }
  });

  test("the guard would detect a page by number", async () => {
    const queries = await observe(() => api.get(`/search-domains?total=false&page=1000`));
    const read = await Promise.all(queries.map((query) => countRead(tables.pool, query, "domains")));
    expect(Math.max(...read)).toBeGreaterThan(20_000);
  });
});

describe("with several chains indexed, an index still finds everything", () => {
  const several = () => openApi(tables, NOW, { contracts: ofLayer2s });
  const basename = { name: "jesse.base.eth" };

  test.each(ofOneThing)("$title", async ({ operation }) => {
    for (const values of isLong() ? [{}, basename] : [basename])
      await expectIndexed(requestOf(operation, several(), values));
  });

  test.each([...lists, "/search-domains?q=name12345&chain=base"])("%s", (path) =>
    expectIndexed(() => several().get(path)),
  );

  test.each(aboutAlice)("strangers' logs are not read for %s", (path) =>
    expectFew(path, "events", 100, several()),
  );
});

describe("with ENSv2 indexed, an index still finds everything", () => {
  const both = () => openApi(tables, NOW, { contracts: ofEnsv2 });

  test.each(ofOneThing)("$title", ({ operation }) =>
    expectIndexed(requestOf(operation, both()), fewestOf(operation)),
  );

  test.each(lists)("%s", (path) => expectIndexed(() => both().get(path)));

  test("the newest migrations are found without reading the reservations", async () => {
    const asked = await observe(() => both().get("/ens-stats/recent-activity"));
    const ofEntries = asked.filter(({ sql }) => sql.includes("ensv2_entries"));
    expect(ofEntries.length).toBeGreaterThan(0);
    for (const query of ofEntries)
      expect(await countRead(tables.pool, query, "ensv2_entries")).toBeLessThan(100);
  });

  const states = ["premium", "available", "registered"];
  test.each(isLong() ? states : states.slice(0, 1))("counters tell how many names are %s", async (state) => {
    await countNames(tables.pool, NOW, ofEnsv2.ensv2);
    const asked = await observe(() =>
      both().get(`/search-domains?availability_status=${state}&protocol=ensv2`),
    );
    const counting = asked.filter(({ sql }) => sql.includes("figures_names"));
    expect(counting).toHaveLength(1);
    for (const query of counting) expect(await findScans(query)).not.toContain("domains");
  });
});

// If it has a larger share of all names, PostgreSQL chooses other plans.
describe.runIf(isLong())("a page of the heaviest address costs only what is on it", () => {
  const orders = addressSortColumns.flatMap((column) => [
    `${column}&sort_dir=asc`,
    `${column}&sort_dir=desc`,
  ]);
  const ofTypes = ["effective_owner", "registry_owner", "manager", "any"];

  /** Rows read by a page's statements. */
  async function read(request: TestApi, path: string): Promise<{ rows: number; next: string }> {
    let next = "";
    const asked = await observe(async () => {
      const answer = await request.get(path);
      next = String(answer.body.next_cursor);
      return answer;
    });
    const rows = await Promise.all(asked.map((query) => countRead(tables.pool, query, "domains")));
    return { rows: rows.reduce((sum, one) => sum + one, 0), next };
  }

  test.each(ofTypes.flatMap((type) => orders.map((order) => [type, order] as const)))(
    "%s by %s",
    async (type, order) => {
      for (const contracts of [undefined, ofEnsv2]) {
        const request = openApi(tables, NOW, contracts && { contracts });
        const list = `/address/${heavy}/domains?address_type=${type}&sort_by=${order}&total=false`;
        const first = await read(request, list);
        expect(first.rows).toBeLessThan(600);
        const second = await read(request, `${list}&cursor=${first.next}`);
        expect(second.rows).toBeLessThan(600);
        expect(second.next).not.toBe("null");
      }
    },
  );
});

describe("logs about a name by strangers' contracts are not read", () => {
  test.each(aboutAlice)("%s", (path) => expectFew(path, "events", 100));

  test("the guard would detect them", async () => {
    const all = { sql: "select * from events where node = $1", parameters: [namehash("alice.eth")] };
    expect(await countRead(tables.pool, all, "events")).toBeGreaterThanOrEqual(FOREIGN_LOGS);
  });
});

/**
 * Milliseconds an operation takes without cached answers. The cache belongs to one database
 * object.
 */
async function timeOf(operation: Endpoint): Promise<number> {
  const db = drizzle(tables.pool, { schema, casing: "snake_case" }) as unknown as Db;
  const request = requestOf(operation, openApi({ ...tables, db }, NOW));
  const started = performance.now();
  await observe(request);
  return performance.now() - started;
}

describe.runIf(isLong())("every operation answers in time", () => {
  test.each(listed)("$title", async ({ operation }) => {
    const limit = isAboutOneThing(operation) ? 2_000 : 15_000;
    const first = await timeOf(operation);
    // A slow operation is slow twice; a machine stalls once.
    expect(first < limit ? first : await timeOf(operation)).toBeLessThan(limit);
  });

  test("the guard would detect a scan", async () => {
    expect(
      await findScans({ sql: "select * from domains where created_block_number = 7", parameters: [] }),
    ).toEqual(["domains"]);
  });
});
