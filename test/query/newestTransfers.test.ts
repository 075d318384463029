import { domain, ownershipChange } from "ponder:schema";
import { type Address, namehash } from "viem";
import { beforeAll, expect, test } from "vitest";
import { listNewestTransfers, MAX_CHANGES } from "../../src/api/names/query/activity.ts";
import { countRead, type Query } from "./readRows.ts";
import { alice, bob, CHAIN_ID, domainRow, MAIN, ownershipRow, transaction } from "./rows.ts";
import { useTables } from "./tables.ts";

/** One more name than is examined. */
const NEW_NAMES = MAX_CHANGES + 1;
/** Changes of one name in one transaction: only the last can be a transfer. */
const TURNS = 2_000;

let queries: Query[] = [];
const tables = useTables({ onQuery: (sql, parameters) => void queries.push({ sql, parameters }) });

const change = (block: number, name: string, owner: Address) =>
  ownershipRow({ block }, name, owner, { blockTimestamp: block });

beforeAll(async () => {
  // A database that was never analysed: a new index, or one that grew within a minute.
  for (const table of ["ownership_changes", "domains", "events"])
    await tables.pool.query(`alter table ${table} set (autovacuum_enabled = false)`);
  await tables.writer.insert(domain).values(["old.eth", "restless.eth"].map((name) => domainRow(name)));
  await tables.writer
    .insert(ownershipChange)
    .values([change(1, "old.eth", alice), change(2, "old.eth", bob), change(3, "restless.eth", alice)]);
});

async function transfers() {
  queries = [];
  const found = await listNewestTransfers(tables.db, ["NameRegistered"], { chains: MAIN, limit: 50 });
  const read = await Promise.all(
    queries.flatMap((query) =>
      ["ownership_changes", "domains", "events"].map((table) => countRead(tables.pool, query, table)),
    ),
  );
  return { found: found.map(({ node }) => node), read: read.reduce((sum, rows) => sum + rows, 0) };
}

test("a name that changes hands repeatedly in one transaction is examined once", async () => {
  await tables.pool.query(
    `insert into ownership_changes (chain_id, block_number, log_index, ordinal, node, owner_address, event_type, transaction_hash, block_timestamp)
     select $1, 4, i, 0, $2, '0x' || lpad(to_hex(i), 40, '0'), 'Transfer', $3, 4 from generate_series(1, ${TURNS}) i`,
    [CHAIN_ID, namehash("restless.eth"), transaction(4)],
  );
  const { found, read } = await transfers();
  expect(found).toEqual([namehash("restless.eth"), namehash("old.eth")]);
  expect(read).toBeLessThan(10 * TURNS);
});

test("thousands of new names hide older transfers and keep the database busy only for a bounded time", async () => {
  await tables.pool.query(
    `insert into ownership_changes (chain_id, block_number, log_index, ordinal, node, owner_address, event_type, transaction_hash, block_timestamp)
     select $1, 4 + i, 0, 0, '0x' || lpad(to_hex(i), 64, '0'), $2, 'NewOwner', '0x' || lpad(to_hex(i), 64, '0'), 4 + i
     from generate_series(1, ${NEW_NAMES}) i`,
    [CHAIN_ID, alice],
  );
  await tables.writer.insert(ownershipChange).values([change(4 + NEW_NAMES + 1, "old.eth", alice)]);
  const { found, read } = await transfers();
  expect(found).toEqual([namehash("old.eth")]);
  expect(read).toBeLessThan(10 * MAX_CHANGES);
});
