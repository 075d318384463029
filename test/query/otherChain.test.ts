import { namehash } from "viem";
import { beforeAll, expect, test } from "vitest";
import { listKnownRecords } from "../../src/api/names/query/records.ts";
import { mainChain } from "../../src/api/names/query/scope.ts";
import type { Endpoint } from "../../src/api/server/http/endpoint.ts";
import { ETH_NODE } from "../../src/ens/name.ts";
import { operations } from "../support/operations.ts";
import { openApi, pathOf, type TestApi } from "./api.ts";
import { contracts as withEnsv2 } from "./ensv2.ts";
import { fillLists, nameLists } from "./lists.ts";
import { fillWithMany } from "./manyRows.ts";
import { account, CHAIN_ID, NOW, STATIC_RESOLVER } from "./rows.ts";
import { beginFeed, setProgress, useTables } from "./tables.ts";

/*
 * Rows of a chain that a question is not about change no answer, because every statement has its
 * chain condition.
 */

const NAMES = 120;
/** A chain that is not indexed. */
const OTHER = 424_242;
const owner = account(0xab1e);

const tables = useTables();
beforeAll(async () => {
  await fillWithMany(NAMES)(tables.pool);
  await beginFeed(tables);
  await fillLists(tables.pool);
  await tables.pool.query(`do $$ declare made text; named text; begin
    select node into made from domains where full_name = '${NAME}';
    for named in select table_name from information_schema.columns join information_schema.tables using (table_schema, table_name)
      where table_schema = 'public' and column_name = 'node' and table_type = 'BASE TABLE'
    loop execute format('update %I set node = ''${namehash(NAME)}'' where node = %L', named, made); end loop; end $$`);
  // A stranger's contract's claims about the name. On the other chain it is the name's resolver.
  await tables.pool.query(
    `insert into text_records (chain_id, resolver, node, version, key_hash, key, value, is_value_known, block_number, log_index,
       transaction_hash, sets_in_transaction, is_read)
     select chain_id, $1, node, version, key_hash, 'strange', value, is_value_known, block_number, log_index, transaction_hash, 1, false
     from text_records where node = $2`,
    [stranger, namehash(NAME)],
  );
  await setProgress(tables, { chainId: CHAIN_ID, block: NAMES, time: NOW });
});

/** A name with a row in every table, and its former holder. */
const NAME = "name11.eth";
const holder = account(4_096 + 11);
const stranger = account(0xbad);

const parameters: Record<string, string> = {
  name: NAME,
  address: holder,
  hash: ETH_NODE,
  key: "url",
  agentId: "1",
};
const names = Array.from({ length: 20 }, (_, i) => `name${i}.eth`);
const bodies = { names, addresses: [owner, STATIC_RESOLVER, account(7)], inputs: [...names, owner] };

function ask({ method, path }: Endpoint, api: TestApi) {
  const url = pathOf({ path }, parameters);
  return method === "get" ? api.get(url) : api.post(url, bodies);
}

/** Operations not limited to certain chains: all events of the database, and its state. */
const aboutAllRows = ["/events", "/indexing-status", "/stats"];

type Answer = Awaited<ReturnType<TestApi["get"]>>;

/** The answers to every operation and to every filter of every list. */
async function askAll(): Promise<Map<string, Answer>> {
  // A new API, because an API caches its answers for the same block.
  const api = openApi(tables, NOW, { contracts: withEnsv2 });
  const answers = new Map<string, Answer>();
  for (const operation of operations) {
    const { method, path } = operation;
    if (!aboutAllRows.includes(path)) answers.set(`${method} ${path}`, await ask(operation, api));
  }
  const lists = nameLists.flatMap(({ path, filters }) => [
    path,
    ...Object.entries(filters).flatMap(([filter, values]) =>
      Object.keys(values).map((value) => `${path}&${filter}=${value}`),
    ),
  ]);
  for (const path of [...lists, `/resolver/${STATIC_RESOLVER}`]) answers.set(path, await api.get(path));
  answers.set("lookup with records", await api.post("/lookup", { inputs: names, records: {} }));
  // Live answers begin with these, and no chain is asked here.
  const known = await listKnownRecords(tables.db, { chains: mainChain(withEnsv2), nodes: [namehash(NAME)] });
  answers.set("known records", { status: 200, body: { known: known.map(({ keys }) => keys) } });
  for (const [path, { status, body }] of answers)
    expect([200, 404, 502], `${path}: ${JSON.stringify(body)}`).toContain(status);
  return answers;
}

/** Copies of records have other contents, because an answer shows only one of two equal ones. */
const changed: Record<string, string> = {
  "text_records.key": "'stranger'",
  "text_records.value": "value || '!'",
  "address_records.address": `'${stranger}'`,
  "resolver_changes.resolver": `'${stranger}'`,
  "domains.resolver": `'${STATIC_RESOLVER}'`,
};

/** Copies every row of every table with chains to the other chain. */
async function copyRows(): Promise<Map<string, number>> {
  const { rows: columns } = await tables.pool.query<{ table: string; column: string }>(
    `select table_name as table, column_name as column from information_schema.columns
     where table_schema = 'public' and is_generated = 'NEVER' and table_name in (
       select c.table_name from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
       where c.table_schema = 'public' and c.column_name = 'chain_id' and t.table_type = 'BASE TABLE')`,
  );
  const copied = new Map<string, number>();
  for (const [table, all] of Map.groupBy(columns, ({ table }) => table)) {
    const listed = all.map(({ column }) => `"${column}"`);
    const values = all.map(({ column }) =>
      column === "chain_id" ? String(OTHER) : (changed[`${table}.${column}`] ?? `"${column}"`),
    );
    const { rowCount } = await tables.pool.query(
      `insert into "${table}" (${listed.join()}) select ${values.join()} from "${table}" where chain_id = ${CHAIN_ID}
       on conflict do nothing`,
    );
    copied.set(table, rowCount ?? 0);
  }
  return copied;
}

test("rows of another chain change no answer", async () => {
  const before = await askAll();
  const copied = await copyRows();
  for (const table of ["domains", "events", "text_records", "address_records", "holders"])
    expect(copied.get(table), table).toBeGreaterThan(0);
  const after = await askAll();
  expect(before.get("get /domain/{name}/records")?.body).toMatchObject({
    records: { texts: { url: "https://11" } },
  });
  const wrong = [...before.keys()].filter(
    (key) => JSON.stringify(before.get(key)) !== JSON.stringify(after.get(key)),
  );
  expect(wrong).toEqual([]);
});
