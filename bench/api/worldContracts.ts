import { type Address, type Hex, keccak256, toHex, zeroAddress } from "viem";
import { addressOfOwner, CHAIN, timeOf, type World } from "./worldLog.ts";

/** A registry of ENSv2 with a tenth as many labels as there are names, each with a holder of roles. */
export const LARGE_REGISTRY: Address = toHex(0x4e0001, { size: 20 });
/** A resolver of ENSv2 with as many links and as many former names. */
export const LARGE_RESOLVER: Address = toHex(0x4e0002, { size: 20 });

const BLOCK = 20_000_000;

/** Contracts of ENSv2 with these two. */
export const LARGE_ENSV2 = {
  startBlock: BLOCK,
  rootRegistry: toHex(0x4e0010, { size: 20 }),
  ethRegistry: LARGE_REGISTRY,
  registrars: [toHex(0x4e0011, { size: 20 })],
  implementations: {},
};
/** Log indexes that no name has. */
const FREE = 1_500_000_000;
const ENDLESS = 2n ** 64n - 1n;

function place(i: number, log_index: number) {
  const block_number = BLOCK + Math.floor(i / 100);
  const at = { ...CHAIN, block_number, log_index: FREE + (i % 100) * 4 + log_index };
  return { ...at, block_timestamp: timeOf(block_number), transaction_hash: keccak256(toHex(i)) };
}

/** Adds a registry and a resolver that are as large as one block of ENSv2 after the other makes them. */
export function putContracts({ names, put }: Pick<World, "names" | "put">): void {
  const labels = Math.floor(names / 10);
  put("ensv2_registries", {
    ...CHAIN,
    registry: LARGE_REGISTRY,
    entries: labels,
    mounts: 0,
    created_block_number: BLOCK,
  });
  for (let i = 0; i < labels; i++) putLabel(put, i);
}

function putLabel(put: World["put"], i: number): void {
  const [labelhash, owner] = [keccak256(toHex(`label-${i}`)), addressOfOwner(i % 1_000)];
  const resource = BigInt(labelhash);
  const at = place(i, 0);
  const { block_number, block_timestamp, transaction_hash, log_index } = at;
  put("ensv2_entries", {
    ...CHAIN,
    registry: LARGE_REGISTRY,
    storage_id: `${labelhash.slice(0, 58)}00000000`,
    labelhash,
    label: `label-${i}`,
    token_id: resource,
    resource,
    owner,
    expiry: ENDLESS,
    is_registered: true,
    registered_by: owner,
    registered_block_number: block_number,
    registered_timestamp: block_timestamp,
    registered_transaction_hash: transaction_hash,
    number: i,
    created_block_number: block_number,
  });
  put("ensv2_roles", {
    ...CHAIN,
    contract: LARGE_REGISTRY,
    resource,
    account: owner,
    roles: 1n << 24n,
    block_number,
    log_index,
    block_timestamp,
    transaction_hash,
  });
  // Roles for the whole registry go to and fro.
  put("events", {
    ...at,
    ordinal: 0,
    contract: "ENSV2_REGISTRY",
    contract_address: LARGE_REGISTRY,
    event_type: "EACRolesChanged",
    details: JSON.stringify({ resource: "0", account: owner, oldRoles: "0", roles: "1" }),
  });
  putNameOfResolver(put, i, keccak256(toHex(`node-${i}`)));
}

function putNameOfResolver(put: World["put"], i: number, node: Hex): void {
  const { block_number, transaction_hash } = place(i, 1);
  const record = toHex(1 + (i % 100), { size: 32 });
  put("ensv2_links", { ...CHAIN, resolver: LARGE_RESOLVER, node, record, block_number, transaction_hash });
  for (const [step, change] of [
    { resolver: LARGE_RESOLVER },
    { previous_resolver: LARGE_RESOLVER },
  ].entries()) {
    const at = { ...place(i, 2 + step), ordinal: 0, node };
    put("events", {
      ...at,
      contract: "ENSV2_REGISTRY",
      contract_address: LARGE_REGISTRY,
      event_type: "ResolverUpdated",
      resolver_address: change.resolver ?? zeroAddress,
    });
    put("resolver_changes", { ...at, ...change });
  }
}
