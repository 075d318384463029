import pg from "pg";
import { openStore } from "../../src/api/server/serviceDb/store.ts";
import { keccak256 } from "../../src/ens/keccak.ts";
import { readDdl } from "../../test/query/tables.ts";
import { lackingLabel } from "./tables.ts";

export const SCHEMA = "namedex_index";
const SERVICE = "namedex_service";

const ROWS_AT_ONCE = 20_000;

const insertNames = `
  insert into domains (chain_id, node, parent_node, labelhash, label, is_label_known, full_name, is_name_known,
    is_migrated, is_wrapped, created_block_number, created_timestamp)
  select 1, hash, '0x93cdeb708b7545dc668eb9280176169d1c33cfd8ed6f04690a0bcc88a93fc4ae', hash,
    '[' || substr(hash, 3) || ']', false, '[' || substr(hash, 3) || '].eth', false, true, false, 1, 1
  from unnest($1::text[]) as names (hash)`;

/** Makes the tables of an index that lacks this number of labels. */
export async function makeIndex(databaseUrl: string, lacking: number): Promise<void> {
  const { enums, tables } = await readDdl();
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(`create schema ${SCHEMA}; set search_path to ${SCHEMA}, public`);
    for (const statement of [...enums, ...tables]) await client.query(statement);
    for (let from = 0; from < lacking; from += ROWS_AT_ONCE) {
      const length = Math.min(ROWS_AT_ONCE, lacking - from);
      const hashes = Array.from({ length }, (_, i) => keccak256(lackingLabel(from + i)));
      await client.query(insertNames, [hashes]);
    }
    await client.query("vacuum analyze domains");
  } finally {
    await client.end();
  }
}

/** What one import has stored; it is taken away for the next one. */
export async function takeStored(databaseUrl: string): Promise<number> {
  const store = openStore({ databaseUrl, schema: SERVICE });
  try {
    const [row] = await store.query<{ count: number }>("SELECT count(*)::int AS count FROM proven_labels");
    await store.query("TRUNCATE proven_labels, label_imports");
    return row?.count ?? 0;
  } finally {
    await store.close();
  }
}
