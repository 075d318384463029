import type pg from "pg";
import { beforeAll, expect, test } from "vitest";
import { listPointing } from "../../src/api/names/query/resolvesTo.ts";
import { countRead, type Query } from "./readRows.ts";
import { account, CHAIN_ID, contracts, MAIN, NOW, STATIC_RESOLVER } from "./rows.ts";
import { useTables } from "./tables.ts";

/** Records equal to the address. One in ten is at the resolver and in the version in force. */
const RECORDS = 20_000;
const heaviest = account(0xbeef);
/** How many names are counted if not all are. */
const COUNTED = 2_000;
/** The address of the others. */
const other = account(0xcafe);

const queries: Query[] = [];
const tables = useTables({ fill, onQuery: (sql, parameters) => void queries.push({ sql, parameters }) });

async function fill(pool: pg.Pool): Promise<void> {
  const node = "'0x' || lpad(to_hex(i), 64, '0')";
  await pool.query(
    `insert into domains (chain_id, node, parent_node, labelhash, label, is_label_known, label_length, full_name,
       is_name_known, is_migrated, is_wrapped, resolver, created_block_number, created_timestamp)
     select ${CHAIN_ID}, ${node}, '0x01', ${node}, 'n' || i, true, 5, 'n' || i || '.eth', true, true, false,
       case when i % 2 = 0 then '${STATIC_RESOLVER}' else '${account(1)}' end, 1, 1 from generate_series(1, $1::int) i`,
    [RECORDS],
  );
  await pool.query(
    `insert into resolver_nodes (chain_id, resolver, node, version, block_number)
     select ${CHAIN_ID}, '${STATIC_RESOLVER}', ${node}, 1, 1 from generate_series(1, $1::int) i where i % 10 <> 0`,
    [RECORDS],
  );
  await pool.query(
    `insert into address_records (chain_id, resolver, node, version, coin_type, address, block_number, transaction_hash)
     select ${CHAIN_ID}, '${STATIC_RESOLVER}', ${node}, 0, 60, '${heaviest}', 1, '0x01' from generate_series(1, $1::int) i`,
    [RECORDS],
  );
  await pool.query(
    `insert into address_records (chain_id, resolver, node, version, coin_type, address, block_number, transaction_hash)
     select ${CHAIN_ID}, '${STATIC_RESOLVER}', ${node}, 1, 60, '${other}', 1, '0x01' from generate_series(1, $1::int) i
     where i % 10 <> 0`,
    [RECORDS],
  );
  await pool.query("analyze");
}

beforeAll(async () => {
  await tables.pool.query("analyze");
});

const asked = { chains: MAIN, address: heaviest, coins: 60n, contracts, now: NOW } as const;

test("each page of the heaviest address reads only its own rows and those it skips", async () => {
  let [after, pages, names, most]: [readonly (string | null)[] | undefined, number, number, number] = [
    ...([undefined, 0, 0, 0] as const),
  ];
  do {
    queries.length = 0;
    const part = after === undefined ? { page: 1 } : { after };
    const { rows, next } = await listPointing(tables.db, asked, { ...part, size: 200, isCounted: false });
    names += rows.length;
    after = next ?? undefined;
    if (pages++ % 4 === 0) {
      for (const query of queries)
        most = Math.max(most, await countRead(tables.pool, query, "address_records"));
    }
  } while (after !== undefined);
  expect(names).toBe(RECORDS / 10);
  // Nine in ten are skipped, and some rows are read ahead.
  expect(most).toBeLessThan(201 * 10 * 1.5);
});

test("the total is exact", async () => {
  const { total } = await listPointing(tables.db, asked, { page: 1, size: 25, isCounted: true });
  expect(total).toBe(RECORDS / 10);
});

test("for very many names the total is the limit plus one, and few records are read for it", async () => {
  queries.length = 0;
  const part = { page: 1, size: 25, isCounted: true };
  const { total } = await listPointing(tables.db, { ...asked, address: other }, part, COUNTED);
  expect(total).toBe(COUNTED + 1);
  const counting = queries.find(({ sql }) => sql.includes("as total"));
  // Half of the names are at another resolver.
  const read = counting && (await countRead(tables.pool, counting, "address_records"));
  expect(read).toBeLessThan(COUNTED * 2 * 1.5);
});
