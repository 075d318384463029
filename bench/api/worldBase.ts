import { type Address, type Hex, toHex } from "viem";
import { layer2Of } from "../../abis/deployments/layer2.ts";
import { managedNames } from "../../src/ens/managedNames.ts";
import { childNode, ETH_NODE, labelhash } from "../../src/ens/name.ts";
import { chanceOf } from "./chance.ts";
import { newWord } from "./words.ts";
import {
  CHAIN,
  DAY,
  FIRST_TIME,
  lower,
  momentOf,
  ownerBy,
  type Put,
  putEvent,
  type World,
} from "./worldLog.ts";
import { WORLD_TIME } from "./worldTime.ts";

const base = layer2Of("mainnet").find(({ name }) => name === "base");
const findOnBase = (role: string, generation: number): Address =>
  lower(base?.contracts.find((one) => one.role === role && one.generation === generation)?.address ?? "0x");

const REGISTRY = findOnBase("registry", 2);
const REGISTRAR = findOnBase("registrar", 3);
const CONTROLLER = findOnBase("controller", 6);
const RESOLVER = findOnBase("resolver", 4);
const BRIDGE = lower(base?.managedName?.bridges[0] ?? "0x");
const managed = managedNames.find(({ chainId }) => chainId === base?.chainId);

/** Base has its names since July 2024. */
const SECONDS_OF_BASE = 540 * DAY;
const YEAR = 365 * DAY;

/**
 * Adds Basenames: `base.eth` on the main chain with the resolver that asks Base, and `names` names below it, owned by the
 * owners of the main chain's names, so that wallets have names on both. `i` counts on from the main chain's names.
 */
export function putBasenames(world: World, names: number): void {
  if (names === 0 || managed === undefined) return;
  const ofBase = { ...world, put: onBase(world.put) };
  putManagedName(world, managed.node);
  const taken = new Set<string>();
  for (let i = 0; i < names; i++) putBasename(ofBase, world.names + i, { parent: managed.node, taken });
}

/** The same rows on another chain. */
const onBase =
  (put: Put): Put =>
  (table, row) =>
    put(table, { ...row, chain_id: base?.chainId });

function putManagedName({ put }: World, node: Hex): void {
  const owner = toHex(0x98, { size: 20 });
  put("domains", {
    ...CHAIN,
    node,
    parent_node: ETH_NODE,
    labelhash: labelhash("base"),
    label: "base",
    full_name: "base.eth",
    is_label_known: true,
    is_name_known: true,
    label_length: 4,
    is_migrated: true,
    is_wrapped: false,
    registry_owner: owner,
    registrar_owner: owner,
    effective_owner_address: owner,
    resolver: BRIDGE,
    registrar_expiry_timestamp: WORLD_TIME + 10 * YEAR,
    expiry_timestamp: WORLD_TIME + 10 * YEAR,
    created_block_number: 9_380_411,
    created_timestamp: FIRST_TIME,
  });
}

/** Most names were bought for a year and have ended; a third was renewed, or is not a year old. */
function putBasename(world: World, i: number, { parent, taken }: { parent: Hex; taken: Set<string> }): void {
  const { put } = world;
  const chance = chanceOf(i);
  const label = newWord(chance, taken);
  const hash = labelhash(label);
  const node = childNode(parent, hash);
  const begin = WORLD_TIME - Math.floor(chance.next() * SECONDS_OF_BASE);
  const expiry = begin + (chance.is(0.2) ? 3 : 1) * YEAR;
  const owner = ownerBy(chance, world.owners);
  const at = momentOf(i, 0, begin);
  const fullName = `${label}.base.eth`;
  put("domains", {
    node,
    parent_node: parent,
    labelhash: hash,
    label,
    full_name: fullName,
    is_label_known: true,
    is_name_known: true,
    label_length: [...label].length,
    is_migrated: true,
    registry_owner: owner,
    registrar_owner: owner,
    effective_owner_address: owner,
    resolver: RESOLVER,
    registrar_expiry_timestamp: expiry,
    expiry_timestamp: expiry,
    is_wrapped: false,
    registered_timestamp: begin,
    created_block_number: at.log.block_number,
    created_timestamp: begin,
  });
  const sold = { node, owner_address: owner, expiry_timestamp: expiry };
  const events = [
    { contract: "REGISTRY", contract_address: REGISTRY, event_type: "NewOwner", node, owner_address: owner },
    { contract: "REGISTRAR", contract_address: REGISTRAR, event_type: "NameRegisteredWithRecord", ...sold },
    {
      contract: "CONTROLLER",
      contract_address: CONTROLLER,
      event_type: "NameRegistered",
      ...sold,
      name: fullName,
      cost_wei: 1_000_000_000_000_000n,
    },
  ];
  for (const [step, event] of events.entries()) putEvent(world, at, step, event);
  put("ownership_changes", {
    ...at.log,
    log_index: at.index,
    ordinal: 0,
    node,
    owner_address: owner,
    reason: "registrar",
    registry_owner: owner,
    registrar_owner: owner,
    event_type: "NewOwner",
  });
  put("resolver_changes", { ...at.log, log_index: at.index + 1, ordinal: 0, node, resolver: RESOLVER });
  const last = { last_owned_block_number: at.log.block_number, last_owned_block_timestamp: begin };
  put("holders", { address: owner, node, ...last });
  if (!chance.is(0.6)) return;
  const of = { resolver: RESOLVER, node, version: 0, block_number: at.log.block_number };
  put("address_records", { ...of, coin_type: 60, address: owner, transaction_hash: at.transaction });
}
