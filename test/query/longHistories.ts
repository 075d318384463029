import { domain } from "ponder:schema";
import { namehash } from "viem";
import { account, CHAIN_ID, domainRow, NOW, REGISTRAR, STATIC_RESOLVER } from "./rows.ts";
import type { Tables } from "./tables.ts";

/* Names and an address with histories as long as a test needs. */

const node = namehash("many.eth");
const textNode = namehash("texts.eth");
export const claimer = account(0xc1a1);
const hash = (number: string) => `'0x' || lpad(to_hex(${number}), 64, '0')`;
const address = (number: string) => `'0x' || lpad(to_hex(${number}), 40, '0')`;

/**
 * A transaction in each block from 1 to `ENTRIES`. In each the name passes through the contract
 * 0xff to owner number `block`, gets resolver number `block`, and is renewed twice; in every
 * hundredth it is registered instead.
 */
const fill = (count: number) => [
  `insert into ownership_changes (chain_id, block_number, log_index, ordinal, node, owner_address, reason,
     registry_owner, event_type, transaction_hash, block_timestamp)
   select ${CHAIN_ID}, i, log, 0, '${node}', owner, 'registry', owner, 'NewOwner', ${hash("i")}, i
   from generate_series(1, ${count}) as i, lateral (values (0, ${address("255")}), (1, ${address("i")}),
     (2, ${address("i")})) as step (log, owner)`,
  `insert into resolver_changes (chain_id, block_number, log_index, node, resolver, transaction_hash, block_timestamp)
   select ${CHAIN_ID}, i, 3, '${node}', ${address("i")}, ${hash("i")}, i from generate_series(1, ${count}) as i`,
  `insert into events (chain_id, block_number, log_index, ordinal, block_timestamp, transaction_hash, contract,
     contract_address, event_type, node, expiry_timestamp)
   select ${CHAIN_ID}, i, log, 0, i, ${hash("i")}, 'REGISTRAR', '${REGISTRAR}',
     case when i % 100 = 0 then 'NameRegistered' else 'NameRenewed' end, '${node}', ${NOW} + i
   from generate_series(1, ${count}) as i, generate_series(4, 5) as log`,
  // One text that takes many values at a resolver that the name has from block 1 on.
  `insert into resolver_changes (chain_id, block_number, log_index, node, resolver, transaction_hash, block_timestamp)
   values (${CHAIN_ID}, 1, 0, '${textNode}', '${STATIC_RESOLVER}', ${hash("1")}, 1)`,
  `insert into events (chain_id, block_number, log_index, ordinal, block_timestamp, transaction_hash, contract,
     contract_address, event_type, node, key, value)
   select ${CHAIN_ID}, i, 6, 0, i, ${hash("i")}, 'RESOLVER', '${STATIC_RESOLVER}', 'TextChanged', '${textNode}', 'url',
     'value ' || i
   from generate_series(1, ${count}) as i`,
  `insert into primary_name_changes (chain_id, block_number, log_index, address, coin_type, name, is_name_known,
     registrar, transaction_hash, block_timestamp)
   select ${CHAIN_ID}, i, 0, '${claimer}', 60, 'name' || i || '.eth', true, 'REVERSE_REGISTRAR', ${hash("i")}, i
   from generate_series(1, ${count}) as i`,
];

export async function fillHistories({ pool, writer }: Tables, count: number): Promise<void> {
  await writer.insert(domain).values(domainRow("texts.eth", { resolver: STATIC_RESOLVER }));
  for (const statement of fill(count)) await pool.query(statement);
}
