import { drizzle } from "drizzle-orm/node-postgres";
import type pg from "pg";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { readTablesState } from "../../src/api/indexState/position.ts";
import { startNameStores } from "../../src/api/nameStore/nameStore.ts";
import { noteWrites } from "../../src/api/nameStore/touched.ts";
import { withClient } from "../../src/api/postgres/client.ts";
import type { Db } from "../../src/api/postgres/db.ts";
import { lifeOf } from "../../src/api/rules/life.ts";
import { type BreakablePostgres, startBreakablePostgres } from "../faults/breakablePostgres.ts";
import { primarySettings, type StandbyPostgres, startStandby } from "../faults/standbyPostgres.ts";
import { CHAIN_ID, domainRow } from "../query/rows.ts";
import { addTables, setProgress } from "../query/tables.ts";
import { createTestDatabase, openPool } from "../support/database.ts";

/* A store of names that reads a standby, which names no transaction that is under way. The last test promotes it. */

const NOW = 1_800_000_000;
const PATIENCE = { timeout: 60_000, interval: 20 };

let primary: BreakablePostgres;
let standby: StandbyPostgres;
let writer: pg.Pool;
let reader: pg.Pool;
let db: Db;
let stores: ReturnType<typeof startNameStores>;
let block = 0;

beforeAll(async () => {
  primary = await startBreakablePostgres(primarySettings);
  const { url } = await createTestDatabase(primary.url);
  await addTables(url);
  writer = openPool({ connectionString: url });
  await write(await writer.connect(), "first");
  await withClient({ connectionString: url }, (client) =>
    vi.waitUntil(() => noteWrites(client, { schema: "public", isWanted: true }), PATIENCE),
  );
  standby = await startStandby(primary);
  const databaseUrl = Object.assign(new URL(standby.url), { pathname: new URL(url).pathname }).href;
  reader = openPool({ connectionString: databaseUrl });
  db = drizzle(reader) as unknown as Db;
  stores = startNameStores({
    ...{ databaseUrl, schema: "public", rules: lifeOf(undefined), maxBytes: 2 ** 24 },
    onSearch: () => {},
    log: () => {},
    ...{ waitMs: 10_000, few: 0 },
  });
  await vi.waitUntil(() => stores.state().state === "ready", PATIENCE);
});

afterAll(async () => {
  await stores?.stop();
  await Promise.all([writer?.end(), reader?.end()]);
  await standby?.destroy();
  await primary?.destroy();
});

/** Writes a name and its block in one transaction, which goes on until `commit`. */
async function begin(client: pg.PoolClient, label: string): Promise<{ commit: () => Promise<void> }> {
  await client.query("begin");
  const row = domainRow(`${label}.eth`);
  await client.query(
    `insert into domains (chain_id, node, parent_node, labelhash, label, is_label_known, label_length, full_name, is_name_known,
       is_migrated, is_wrapped, created_block_number, created_timestamp)
     values ($1, $2, $3, $4, $5, true, $6, $7, true, true, false, 1, 1)`,
    [CHAIN_ID, row.node, row.parentNode, row.labelhash, label, label.length, `${label}.eth`],
  );
  return {
    commit: async () => {
      await setProgress({ pool: client as never }, { chainId: CHAIN_ID, block: ++block, time: NOW });
      await client.query("commit");
      client.release();
    },
  };
}

const write = async (client: pg.PoolClient, label: string) => (await begin(client, label)).commit();

/** The total of memory for the state of the standby that has this many names. */
const countOf = (text: string, names: number) =>
  vi.waitFor(async () => {
    const { rows } = await reader.query<{ names: number }>("select count(*)::int as names from domains");
    expect(rows).toEqual([{ names }]);
    const { version } = await readTablesState(db);
    const counts = await stores
      .of("a caller")
      .count(db, version, { filters: { text }, chainIds: [CHAIN_ID], now: NOW });
    expect(counts).not.toBeNull();
    return counts?.total;
  }, PATIENCE);

test("a transaction that was under way when a later one was seen is not missed", async () => {
  const early = await begin(await writer.connect(), "early");
  await write(await writer.connect(), "later");
  expect(await countOf("later", 2)).toBe(1);
  expect(await countOf("early", 2)).toBe(0);
  await early.commit();
  expect(await countOf("early", 3)).toBe(1);
});

test("a standby that is promoted is followed", async () => {
  await primary.kill();
  await standby.promote();
  await write(await reader.connect(), "promoted");
  expect(await countOf("promoted", 4)).toBe(1);
  const early = await begin(await reader.connect(), "again");
  await write(await reader.connect(), "behind");
  expect(await countOf("again", 5)).toBe(0);
  await early.commit();
  expect(await countOf("again", 6)).toBe(1);
});
