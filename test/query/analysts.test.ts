import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { ensv2Entry, ensv2Purchase } from "ponder:schema";
import pg from "pg";
import type { Hex } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openPool } from "../support/database.ts";
import { readTables, writeDictionary } from "./dictionary.ts";
import { ETH_REGISTRY, entryRow, FAR, purchaseRow, reservedRow } from "./ensv2.ts";
import { fillWithMany } from "./manyRows.ts";
import { CHAIN_ID, transaction } from "./rows.ts";
import { createTables, type Tables } from "./tables.ts";

const guideFile = new URL("../../docs/analysts.md", import.meta.url);
const roleFile = new URL("../../docs/analyst-role.sql", import.meta.url);
const MARK = "<!-- tables -->\n";

const guide = readFileSync(guideFile, "utf8");
const examples = [...guide.matchAll(/([^\n]+):?\n\n```sql\n([\s\S]*?)```/g)].map(
  ([, title = "", sql = ""]) => ({ title, sql }),
);

const suffix = randomBytes(4).toString("hex");
const role = `analyst_${suffix}`;
const views = `views_${suffix}`;
const password = "it's secret";

let tables: Tables;
let analyst: pg.Pool;

/** The script with its variables substituted as psql does it. */
function roleScript(): string {
  const DBNAME = new URL(tables.databaseUrl).pathname.slice(1);
  const words: Record<string, string> = { role, views, password, DBNAME };
  return readFileSync(roleFile, "utf8").replaceAll(/:(["'])(\w+)\1/g, (_, quote: string, name: string) => {
    const word = words[name] ?? "";
    return quote === '"' ? pg.escapeIdentifier(word) : pg.escapeLiteral(word);
  });
}

/** Creates the views as Ponder does when a build is ready. */
async function makeViews() {
  const { rows } = await tables.pool.query<{ name: string }>(
    "select table_name as name from information_schema.tables where table_schema = 'public' and table_name !~ '^pg_'",
  );
  for (const { name } of rows) {
    await tables.pool.query(`drop view if exists "${views}"."${name}"`);
    await tables.pool.query(`create view "${views}"."${name}" as select * from public."${name}"`);
  }
}

/** Some questions are about the future. */
const expiringFromNowOn = `update domains set
  expiry_timestamp = floor(extract(epoch from now())) + created_block_number * 1000,
  registrar_expiry_timestamp = floor(extract(epoch from now())) + created_block_number * 1000,
  wrapper_expiry_timestamp = floor(extract(epoch from now())) + created_block_number * 1000
  where registrar_expiry_timestamp is not null`;

/** A sale on Base, because one question is about such sales. */
const saleOnBase = `insert into events (chain_id, block_number, log_index, ordinal, block_timestamp, transaction_hash,
    contract, contract_address, event_type, node, cost_wei)
  values (8453, 1, 0, 0, 1721000000, '0x01', 'CONTROLLER', '0x02', 'NameRegistered', '0x03', 1000000000000000)`;

/** A .eth name whose expiry is too late for a date. */
async function firstName(): Promise<{ labelhash: Hex }> {
  const { rows } = await tables.pool.query<{ labelhash: Hex }>(
    `update domains set expiry_timestamp = 18446744073709551615 where full_name = 'name1.eth' returning labelhash`,
  );
  return rows[0] as { labelhash: Hex };
}

beforeAll(async () => {
  tables = await createTables();
  await fillWithMany(2_000)(tables.pool);
  await tables.pool.query(saleOnBase);
  await tables.writer
    .insert(ensv2Entry)
    .values([
      entryRow(ETH_REGISTRY, "migrated", { reservedTimestamp: 1, registeredTransactionHash: transaction(8) }),
      entryRow(ETH_REGISTRY, "bought", { reservedTimestamp: 1, registeredTransactionHash: transaction(9) }),
      { ...reservedRow("name1", FAR), labelhash: (await firstName()).labelhash },
    ]);
  await tables.writer.insert(ensv2Purchase).values([purchaseRow({ block: 9 }, { node: transaction(1) })]);
  await tables.pool.query(expiringFromNowOn);
  await tables.pool.query(roleScript());
  await makeViews();
  const { rows } = await tables.pool.query<{ url: string }>("select current_database() as url");
  const options = (tables.pool as pg.Pool & { options: { connectionString: string } }).options;
  const url = new URL(options.connectionString);
  url.username = role;
  url.password = encodeURIComponent(password);
  url.pathname = `/${rows[0]?.url}`;
  analyst = openPool({ connectionString: url.href, max: 1 });
});

afterAll(async () => {
  await analyst?.end();
  await tables?.pool.query(`drop schema "${views}" cascade; drop owned by "${role}"; drop role "${role}"`);
  await tables?.drop();
});

describe("the data dictionary", () => {
  test("explains every table and column", () => {
    for (const { name, explanation, columns } of readTables()) {
      expect(explanation, name).toMatch(/\w.*\.$/s);
      for (const column of columns)
        expect(column.explanation, `${name}.${column.name}`).toMatch(/\w.*[.)]$/s);
    }
  });

  test("matches the schema's comments", () => {
    const written = `${guide.slice(0, guide.indexOf(MARK) + MARK.length)}\n${writeDictionary()}\n`;
    if (process.env.UPDATE_DOCS) writeFileSync(guideFile, written);
    expect(
      readFileSync(guideFile, "utf8"),
      "run UPDATE_DOCS=1 npx vitest run test/query/analysts.test.ts",
    ).toBe(written);
  });
});

describe("the analysts' role", () => {
  test("has fifteen questions", () => {
    expect(examples).toHaveLength(15);
  });

  test.each(examples)("may ask: $title", async ({ sql }) => {
    const { rows } = await analyst.query(sql);
    expect(rows.length).toBeGreaterThan(0);
  });

  test("names of a layer 2 do not count as directly under .eth, and sales are counted by chain", async () => {
    const [expiring, sales] = examples.map(({ sql }) => sql) as [string, string];
    const ofBase = "update domains set chain_id = 8453, parent_node = '0x02' where full_name = 'name2.eth'";
    const names = async () =>
      (await analyst.query<{ full_name: string }>(expiring)).rows.map((row) => row.full_name);
    expect(await names()).toContain("name2.eth");
    await tables.pool.query(ofBase);
    expect(await names()).not.toContain("name2.eth");
    const chains = (await analyst.query<{ chain_id: number }>(sales)).rows.map((row) => row.chain_id);
    expect(new Set(chains)).toEqual(new Set([CHAIN_ID, 8453]));
  });

  test.each([
    "delete from domains",
    "set default_transaction_read_only = off; insert into labels values (1, '0x')",
    "create table mine (a int)",
    "select * from public.domains",
  ])("may not: %s", async (sql) => {
    await expect(analyst.query(sql)).rejects.toThrow(/permission denied|read-only/);
  });

  test("may read views created by a later build", async () => {
    await makeViews();
    expect((await analyst.query("select count(*)::int as count from domains")).rows).toEqual([
      { count: 2_000 },
    ]);
  });
});
