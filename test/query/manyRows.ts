import type pg from "pg";
import { ETH_NODE } from "../../src/ens/name.ts";
import { CHAIN_ID, STATIC_RESOLVER, STRANGE_RESOLVER, WRAPPER } from "./rows.ts";

const hash = (seed: string) => `'0x' || md5(${seed}) || md5(${seed} || '.')`;
const OWNERS = 50_000;
/** Each owner has about four of 200,000 names. */
const owner = `'0x' || lpad(to_hex(i % ${OWNERS} + 4096), 40, '0')`;
const resolver = `case when i % 5 = 0 then '${STRANGE_RESOLVER}' else '${STATIC_RESOLVER}' end`;
const isWrapped = "(i % 10 = 3)";
const isUnderEth = "(i % 10 < 7)";
const expiry = "1700000000 + i * 1000";
const parent = `case when ${isUnderEth} then '${ETH_NODE}' else ${hash("'node' || (i - i % 10)")} end`;
const fullName = `'name' || i || case when ${isUnderEth} then '' else '.name' || (i - i % 10) end || '.eth'`;

const statementsFor = (count: number): string[] => [
  `insert into domains (chain_id, node, parent_node, labelhash, label, is_label_known, label_length, full_name,
     is_name_known, registry_owner, is_migrated, resolver, registrar_owner, registrar_expiry_timestamp, wrapper_owner,
     wrapper_fuses, wrapper_expiry_timestamp, is_wrapped, expiry_timestamp, effective_owner_address,
     created_block_number, created_timestamp)
   select ${CHAIN_ID}, ${hash("'node' || i")}, ${parent}, ${hash("'label' || i % 150000")}, 'name' || i, i % 20 <> 0,
     length('name' || i), ${fullName}, true, case when ${isWrapped} then '${WRAPPER}' else ${owner} end, true,
     ${resolver}, case when ${isUnderEth} then case when ${isWrapped} then '${WRAPPER}' else ${owner} end end,
     case when ${isUnderEth} then ${expiry} end, case when ${isWrapped} then ${owner} end,
     case when ${isWrapped} then 65536 end, case when ${isWrapped} then ${expiry} + 7776000 end, ${isWrapped},
     case when ${isUnderEth} then ${expiry} end, ${owner}, i, 1600000000 + i
   from generate_series(1, ${count}) as i`,
  `insert into events (chain_id, block_number, log_index, ordinal, block_timestamp, transaction_hash, contract,
     contract_address, event_type, node, owner_address, cost_wei, expiry_timestamp)
   select ${CHAIN_ID}, i, k, 0, 1600000000 + i, ${hash("'tx' || i")},
     case k when 0 then 'REGISTRY' else 'CONTROLLER' end, '0x' || repeat('e', 40),
     case k when 0 then 'NewOwner' else 'NameRegistered' end, ${hash("'node' || i")}, ${owner}, 5, ${expiry}
   from generate_series(1, ${count}) as i, generate_series(0, 1) as k`,
  `insert into ownership_changes (chain_id, block_number, log_index, ordinal, node, owner_address, reason,
     registry_owner, event_type, transaction_hash, block_timestamp)
   select ${CHAIN_ID}, i, 0, 0, ${hash("'node' || i")}, ${owner}, 'registry', ${owner}, 'NewOwner', ${hash("'tx' || i")}, i
   from generate_series(1, ${count}) as i`,
  `insert into resolver_changes (chain_id, block_number, log_index, node, resolver, transaction_hash, block_timestamp)
   select ${CHAIN_ID}, i, 0, ${hash("'node' || i")}, ${resolver}, ${hash("'tx' || i")}, i
   from generate_series(1, ${count}) as i`,
  `insert into resolver_nodes (chain_id, resolver, node, version, contenthash, name, block_number)
   select ${CHAIN_ID}, ${resolver}, ${hash("'node' || i")}, 0, null, null, i
   from generate_series(1, ${count}) as i`,
  `insert into text_records (chain_id, resolver, node, version, key_hash, key, value, is_value_known, block_number,
     log_index, transaction_hash, sets_in_transaction, is_read)
   select ${CHAIN_ID}, ${resolver}, ${hash("'node' || i")}, 0, ${hash("'key'")}, 'url', 'https://' || i, true, i, 0,
     ${hash("'tx' || i")}, 1, false
   from generate_series(1, ${count}) as i`,
  `insert into address_records (chain_id, resolver, node, version, coin_type, address, block_number, transaction_hash)
   select ${CHAIN_ID}, ${resolver}, ${hash("'node' || i")}, 0, 60, ${owner}, i, ${hash("'tx' || i")}
   from generate_series(1, ${count}) as i`,
  `insert into primary_names (address, coin_type, name, is_name_known, registrar, chain_id, block_number, transaction_hash)
   select ${owner}, 60, 'name' || i || '.eth', true, 'REVERSE_REGISTRAR', ${CHAIN_ID}, i, ${hash("'tx' || i")}
   from generate_series(1, ${Math.min(count, OWNERS)}) as i`,
  `insert into primary_name_changes (chain_id, block_number, log_index, address, coin_type, name, is_name_known,
     registrar, transaction_hash, block_timestamp)
   select ${CHAIN_ID}, i, 0, ${owner}, 60, 'name' || i || '.eth', true, 'REVERSE_REGISTRAR', ${hash("'tx' || i")}, i
   from generate_series(1, ${count}) as i`,
  `insert into holders (address, chain_id, node, last_owned_block_number, last_owned_block_timestamp)
   select ${owner}, ${CHAIN_ID}, ${hash("'node' || i")}, i, i from generate_series(1, ${count}) as i`,
];

/**
 * Fills the tables with `count` generated domains, about two events and one row of each other
 * table for each. If there are tens of thousands, do this before the indexes are built.
 */
export const fillWithMany =
  (count: number) =>
  async (pool: pg.Pool): Promise<void> => {
    for (const statement of statementsFor(count)) await pool.query(statement);
  };
