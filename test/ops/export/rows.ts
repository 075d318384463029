import type { MadeIndex } from "./made.ts";

// Rows that are hard to write into files, and rows that are not final.

/** More than 2 MiB, the longest line that CSV readers accept by default. */
const LONG = 3_000_000;

const texts = [
  "",
  " ",
  ",",
  '"',
  '""',
  "''",
  "\n",
  "\r\n",
  "a\rb",
  "\t",
  "\\",
  "\\N",
  "\\.",
  "NULL",
  "null",
  "true",
  "é",
  "😀",
  "\u2028",
  "\u0001",
  "\u001f",
  "\ufeffmark",
  "{}",
  "[1,2]",
  "1e5",
  "007",
  "#",
  "--",
  ";",
  "$$",
  "\ufffe",
  "\uffff",
  "\ufffd",
  "\u2400",
  "\u007f",
  "=1+1",
  "\uff1d1+1",
  '{"key":"a\\u0000"}',
  'line\nwith, all "of" it\r\n',
  "x".repeat(LONG),
];

/** The largest number on the chain, and the largest that analysts calculate with. */
const WIDEST = (2n ** 256n - 1n).toString();
const LONGEST_EXPIRY = (2n ** 64n - 1n).toString();
const MOST_WEI = (10n ** 38n - 1n).toString();

/** Adds rows of a final block with every kind of text and number. */
export async function addOddRows({ tables: { pool } }: MadeIndex, block: number): Promise<void> {
  await pool.query(
    `insert into events (chain_id, block_number, log_index, ordinal, block_timestamp, transaction_hash, contract,
       contract_address, event_type, key, value, details, cost_wei, coin_type, expiry_timestamp, token_amount)
     select 31337, $2, 1000 + place, 0, 1, '0x', 'RESOLVER', '0x', 'TextChanged', text, text, text, $3, $4, $5, 0
     from unnest($1::text[]) with ordinality as odd(text, place)`,
    [texts, block, MOST_WEI, WIDEST, LONGEST_EXPIRY],
  );
  await pool.query(
    `insert into text_records (chain_id, resolver, node, version, key_hash, key, value, is_value_known, exact,
       block_number, log_index, transaction_hash, sets_in_transaction, is_read)
     select 31337, '0xodd', '0x', 9007199254740991, place::text, text, text, place % 2 = 0, text, $2, 1, '0x', 1, false
     from unnest($1::text[]) with ordinality as odd(text, place)`,
    [texts, block],
  );
  await pool.query(
    `insert into agent_bindings (chain_id, adapter, agent_id, token_standard, token_contract, token_id, registered_by,
       block_number, log_index, transaction_hash, block_timestamp)
     values (31337, '0x', $2, 0, '0x', $2, '0x', $1, 0, '0x', 1)`,
    [block, WIDEST],
  );
}

/** Tables changed beyond the final block. */
export const changedTables = ["events", "domains", "text_records", "ownership_changes"] as const;

/** Ponder's names for operations on a row. */
const [INSERTED, UPDATED, DELETED] = [0, 1, 2];

/** Changes rows as later blocks do, recording their former state as Ponder does. */
export async function changeBeyond({ tables: { pool } }: MadeIndex, block: number): Promise<void> {
  const note = (table: string, operation: number, where: string, order: number) =>
    `insert into "_reorg__${table}" select t.*, ${order}, ${operation}, '' from "${table}" t where ${where}`;
  const later = `insert into events (chain_id, block_number, log_index, ordinal, block_timestamp, transaction_hash,
      contract, contract_address, event_type)
    select 31337, ${block} + i, 0, 0, 1, '0x', 'REGISTRY', '0x', 'NewOwner' from generate_series(1, 50) as i`;
  const changes = `insert into ownership_changes (chain_id, block_number, log_index, ordinal, node, event_type,
      transaction_hash, block_timestamp)
    select chain_id, block_number, log_index, ordinal, '0x', event_type, transaction_hash, block_timestamp
    from events where block_number > ${block}`;
  const some = "created_block_number % 7 = 0";
  const statements = [
    later,
    note("events", INSERTED, `block_number > ${block}`, 1),
    changes,
    note("ownership_changes", INSERTED, `block_number > ${block}`, 1),
    note("domains", UPDATED, some, 1),
    `update domains set effective_owner_address = '0xfirst' where ${some}`,
    // The second change of a row: the state before the first one counts.
    note("domains", UPDATED, some, 2),
    `update domains set effective_owner_address = '0xsecond' where ${some}`,
    note("text_records", DELETED, "block_number % 11 = 0", 1),
    "delete from text_records where block_number % 11 = 0",
  ];
  for (const statement of statements) await pool.query(statement);
}

/** Makes the changes of later blocks final: nothing can be reverted any more. */
export async function settle({ tables: { pool } }: MadeIndex): Promise<void> {
  for (const table of changedTables) await pool.query(`truncate "_reorg__${table}"`);
}
