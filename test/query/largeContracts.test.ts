// Also runs as: long
import type pg from "pg";
import { beforeAll, describe, expect, test } from "vitest";
import { countNames } from "../counts/exactCounters.ts";
import { sizeOf } from "../support/size.ts";
import { useApi } from "./api.ts";
import { contracts } from "./ensv2.ts";
import { countRead, type Query } from "./readRows.ts";
import { account, CHAIN_ID, NOW } from "./rows.ts";
import { setProgress, useTables } from "./tables.ts";

/*
 * A registry with many labels and roles, and a resolver with as many names, links and former
 * names.
 */

const MANY = sizeOf({ short: 30_000, long: 100_000 });
const REGISTRY = account(0x7001);
const RESOLVER = account(0x7002);
const HOLDER = account(0x7003);

const hash = (text: string) => `'0x' || encode(sha256(convert_to(${text}, 'utf8')), 'hex')`;
const happened = (i: string) => `${i}, 1600000000 + ${i}, ${hash(`'tx' || ${i}`)}`;

const fills = [
  `insert into ensv2_registries (chain_id, registry, entries, mounts, created_block_number)
   values (${CHAIN_ID}, '${REGISTRY}', ${MANY}, 0, 1)`,
  `insert into ensv2_entries (chain_id, registry, storage_id, labelhash, label, token_id, resource, owner, expiry,
     subregistry, is_registered, number, created_block_number)
   select ${CHAIN_ID}, '${REGISTRY}', left(h, 58) || '00000000', h, 'label' || i, i, i, '${HOLDER}', ${NOW} + i - 50,
     '${account(0x7004)}', true, i, i from (select i, ${hash("'l' || i")} as h from generate_series(1, ${MANY}) as i) as one`,
  `insert into ensv2_roles (chain_id, contract, resource, account, roles, block_number, block_timestamp, transaction_hash, log_index)
   select ${CHAIN_ID}, contract, case when i % 2 = 0 then 0 else i end, '0x' || lpad(to_hex(i), 40, '0'), 1, ${happened("i")}, 0
   from generate_series(1, ${MANY}) as i, unnest(array['${REGISTRY}', '${RESOLVER}']) as contract`,
  `insert into events (chain_id, block_number, block_timestamp, transaction_hash, log_index, ordinal, contract,
     contract_address, event_type, details)
   select ${CHAIN_ID}, ${happened("i")}, k, 0, 'ENSV2_REGISTRY', '${REGISTRY}', case k when 0 then 'EACRolesChanged' else 'URIUpdated' end,
     '{"resource":"0","account":"0x' || lpad(to_hex(i % ${MANY / 100}), 40, '0') || '","oldRoles":"0","roles":"1"}'
   from generate_series(1, ${MANY}) as i, generate_series(0, 1) as k`,
  `insert into ensv2_links (chain_id, resolver, node, record, block_number, transaction_hash)
   select ${CHAIN_ID}, '${RESOLVER}', ${hash("'n' || i")}, '0x' || lpad(to_hex(1 + i % 100), 64, '0'), 1, ${hash("'tx'")}
   from generate_series(1, ${MANY}) as i`,
  `insert into resolver_changes (chain_id, block_number, block_timestamp, transaction_hash, log_index, node, resolver, previous_resolver)
   select ${CHAIN_ID}, ${happened("i * 2 + k")}, 0, ${hash("'n' || i")}, case k when 0 then '${RESOLVER}' end,
     case k when 1 then '${RESOLVER}' end
   from generate_series(1, ${MANY}) as i, generate_series(0, 1) as k`,
  `insert into domains (chain_id, node, parent_node, labelhash, label, is_label_known, label_length, full_name, is_name_known,
     is_migrated, resolver, is_wrapped, created_block_number, created_timestamp)
   select ${CHAIN_ID}, ${hash("'n' || i")}, ${hash("'parent'")}, ${hash("'l' || i")}, 'name' || i, true, 9, 'name' || i || '.xyz',
     true, true, '${RESOLVER}', false, 1, 1 from generate_series(1, ${MANY}) as i`,
];

let queries: Query[] = [];
const fill = async (pool: pg.Pool) => {
  for (const statement of fills) await pool.query(statement);
};
const tables = useTables({ fill, onQuery: (sql, parameters) => void queries.push({ sql, parameters }) });
const api = useApi(tables, NOW, { contracts });

beforeAll(async () => {
  await setProgress(tables, { chainId: CHAIN_ID, block: 1_000_000, time: NOW });
  await countNames(tables.pool, NOW, contracts.ensv2);
  await tables.pool.query("vacuum analyze");
});

type Page = { results: unknown[]; total?: number; next_cursor: string };

const lists = [
  { path: `/registry/${REGISTRY}/labels`, total: MANY },
  { path: `/registry/${REGISTRY}/labels?sort_dir=desc`, total: MANY },
  { path: `/registry/${REGISTRY}/roles`, total: MANY / 2 },
  { path: `/registry/${REGISTRY}/role-changes`, total: MANY },
  { path: `/registry/${REGISTRY}/role-changes?sort_dir=desc`, total: MANY },
  { path: `/registry/${account(0x7004)}/referring-names`, total: MANY },
  { path: `/resolver/${RESOLVER}/names`, total: MANY },
  { path: `/resolver/${RESOLVER}/former-names`, total: MANY },
  { path: `/resolver/${RESOLVER}/links`, total: MANY },
  { path: `/resolver/${RESOLVER}/links?record=7`, total: MANY / 100 },
  { path: `/resolver/${RESOLVER}/roles`, total: MANY },
];

const largest = [
  "ensv2_entries",
  "ensv2_roles",
  "ensv2_links",
  "events",
  "resolver_changes",
  "domains",
] as const;

/** Rows of all large tables that an answer read. */
async function rowsReadBy(path: string): Promise<{ page: Page; read: number }> {
  queries = [];
  const { status, body } = await api.get(path);
  expect([path, status, body.error]).toEqual([path, 200, undefined]);
  let read = 0;
  for (const query of [...queries]) {
    if (/^(begin|commit|rollback|set)/i.test(query.sql)) continue;
    for (const table of largest)
      if (query.sql.includes(table)) read += await countRead(tables.pool, query, table);
  }
  return { page: body as Page, read };
}

describe.each(lists)("$path", ({ path, total }) => {
  const glue = path.includes("?") ? "&" : "?";

  test("has an exact total", async () => {
    expect((await api.get(path)).body.total).toBe(total);
  });

  test("reads only a page's rows, at the beginning and after many pages", async () => {
    const first = await rowsReadBy(`${path}${glue}total=false`);
    expect(first.page.results).toHaveLength(25);
    expect(first.read).toBeLessThan(400);
    // After page 400 by its number, and then on by the cursor.
    const deep = Math.min(total / 25 - 10, 3_900);
    const { body } = await api.get(`${path}${glue}total=false&page=${deep}`);
    const late = await rowsReadBy(`${path}${glue}total=false&cursor=${(body as Page).next_cursor}`);
    expect(late.page.results).toHaveLength(25);
    expect(late.read).toBeLessThan(400);
  });
});

test("changes by one account are found without reading other accounts' rows", async () => {
  const path = `/registry/${REGISTRY}/role-changes?account=0x${"7".padStart(40, "0")}`;
  const { page, read } = await rowsReadBy(path);
  expect([page.results.length, page.total]).toEqual([25, 100]);
  expect(read).toBeLessThan(400);
});

/**
 * The plan when this registry's labels are neither all there are nor contiguous, so that
 * PostgreSQL would not read the whole table or its pages by a bitmap.
 */
async function planOf({ sql, parameters }: Query): Promise<string> {
  const client = await tables.pool.connect();
  try {
    await client.query("begin; set local enable_seqscan = off; set local enable_bitmapscan = off");
    const { rows } = await client.query<{ "QUERY PLAN": string }>(`explain ${sql}`, parameters);
    return rows.map((row) => row["QUERY PLAN"]).join("\n");
  } finally {
    await client.query("rollback");
    client.release();
  }
}

test("what a registry would take from others is counted using an index only", async () => {
  queries = [];
  const { body } = await api.get(`/registry/${REGISTRY}?owner=${HOLDER}`);
  expect(body.detach).toMatchObject({ labels: MANY - 50, not_owned: 0, ownerless: 0 });
  const counting = queries.filter(({ sql }) => sql.includes("is distinct from"));
  expect(counting).toHaveLength(1);
  for (const query of counting)
    expect(await planOf(query)).toMatch(/Index Only Scan using ensv2_entries_label/);
});

test.each([`/resolver/${RESOLVER}`, `/registry/${REGISTRY}?owner=${HOLDER}`])(
  "%s answers quickly",
  async (path) => {
    const timeOf = async () => {
      const started = performance.now();
      await api.get(path);
      return performance.now() - started;
    };
    const times = [await timeOf(), await timeOf(), await timeOf()];
    expect(Math.min(...times)).toBeLessThan(1_000);
  },
);
