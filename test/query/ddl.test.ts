import { expect, test } from "vitest";
import { createTestDatabase, openPool } from "../support/database.ts";
import { readDdl } from "./tables.ts";

test("every table, view and index of the schema can be built on an empty database", async () => {
  const database = await createTestDatabase();
  const pool = openPool({ connectionString: database.url });
  const { enums, tables, views, indexes } = await readDdl();
  for (const statement of [...enums, ...tables, ...views, ...indexes]) {
    await pool.query(statement).catch((error: Error) => {
      throw new Error(`${error.message}\n${statement}`);
    });
  }
  const { rows } = await pool.query<{ count: number }>(
    "select count(*)::int as count from pg_indexes where schemaname = 'public'",
  );
  await pool.end();
  await database.drop();
  expect(tables.length).toBeGreaterThan(10);
  expect(rows[0]?.count, "each index, and one for each primary key").toBe(indexes.length + tables.length);
});

test("indexes accept the longest names and labels that the chain can hold", async () => {
  const database = await createTestDatabase();
  const pool = openPool({ connectionString: database.url });
  const { enums, tables, views, indexes } = await readDdl();
  for (const statement of [...enums, ...tables, ...views, ...indexes]) await pool.query(statement);
  // Random letters do not compress: a B-tree on the whole text would refuse them.
  const letters = Array.from({ length: 20_000 }, (_, i) => 0x4e00 + ((i * 7_919 + i * i * 31) % 20_000));
  const spam = String.fromCodePoint(...letters);
  await pool.query(
    `insert into domains (chain_id, node, label, is_label_known, full_name, is_name_known, is_migrated, is_wrapped, created_block_number, created_timestamp)
     values (1, '0x01', $1, true, $1, true, true, false, 1, 1)`,
    [spam],
  );
  await pool.query(
    `insert into text_records (chain_id, resolver, node, version, key_hash, key, value, is_value_known, block_number, log_index, transaction_hash, sets_in_transaction, is_read)
     values (1, '0x01', '0x01', 0, '0x01', $1, $1, true, 1, 0, '0x01', 1, false)`,
    [spam],
  );
  const { rows } = await pool.query<{ length: number }>(
    "select char_length(full_name) as length from domains",
  );
  await pool.end();
  await database.drop();
  expect(rows[0]?.length).toBe(20_000);
});
