import { type Address, type Hex, toHex } from "viem";
import { mainnet } from "../../abis/deployments/mainnet.ts";
import {
  ADDR_REVERSE_NODE,
  childNode,
  ETH_NODE,
  labelhash,
  ROOT_NODE,
  unknownLabel,
} from "../../src/ens/name.ts";
import { PARENT_CANNOT_CONTROL } from "../../src/ens/wrapper.ts";
import { type Chance, chanceOf } from "./chance.ts";
import { newWord } from "./words.ts";
import { type EthName, putAgent } from "./worldAgents.ts";
import { putBasenames } from "./worldBase.ts";
import { putContracts } from "./worldContracts.ts";
import {
  addressOfOwner,
  BLOCK_SECONDS,
  CHAIN,
  DAY,
  FIRST_TIME,
  find,
  lower,
  type Moment,
  momentOf,
  ownerBy,
  type Put,
  putEvent,
  type World,
} from "./worldLog.ts";
import { WORLD_TIME } from "./worldTime.ts";

const GRACE = 90 * DAY;

const REGISTRY = find("registry", 2);
const REGISTRAR = find("registrar", 2);
const WRAPPER = find("wrapper", 1);
const CONTROLLER = find("controller", 3);
/** Few have the oldest resolvers, most the public one of 2023. */
const resolvers = mainnet.contracts
  .filter((one) => one.role === "resolver" && one.static)
  .map(({ address }, i) => [[2, 4, 10, 25, 40, 15, 3, 1][i] ?? 1, lower(address)] as const);
const STRANGE_RESOLVER = lower("0x00000000000000000000000000000000005742a9");
/** keccak256 of `url`. */
const texts = ["url", "avatar", "description", "com.twitter", "display"].map((key) => ({
  key,
  hash: labelhash(key),
}));

type Parent = { name: string; node: Hex; children: Set<string> };

/**
 * Generates an index of `names` domains with their histories, as mainnet's is: most are .eth names, of which more than
 * half have ended; some have subnames, a few of them thousands; a seventh of the owners has a primary name; one of 500
 * .eth names has an agent.
 * The same size gives the same rows. `base` is the number of names of Base that it adds.
 */
export function generateWorld({ base = 0, ...plan }: { names: number; base?: number; put: Put }): void {
  const world = { ...plan, owners: Math.max(10, Math.floor(plan.names * 0.28)), agents: 0 };
  putTop(world);
  const eth: Parent = { name: "eth", node: ETH_NODE, children: new Set(["base"]) };
  const ethNames = Math.floor(plan.names * 0.84);
  const parents: Parent[] = [];
  for (let i = 0; i < ethNames; i++) {
    const made = putEthName(world, i, eth);
    putAgent(world, { ...made, i, when: i / ethNames });
    if (i % 20 === 0) parents.push({ ...made, children: new Set() });
  }
  const subnames = Math.floor(plan.names * 0.12);
  for (let i = ethNames; i < ethNames + subnames; i++) {
    const chance = chanceOf(i);
    putSubname(world, i, parents[Math.floor(parents.length * chance.next() ** 4)] as Parent);
  }
  for (let i = ethNames + subnames; i < plan.names; i++) putReverseName(world, i);
  putContracts(world);
  putBasenames(world, base);
}

function putTop({ put }: World): void {
  const root = { ...CHAIN, is_label_known: true, is_name_known: true, is_migrated: true, is_wrapped: false };
  const made = { created_block_number: 9_380_380, created_timestamp: FIRST_TIME };
  put("domains", { ...root, ...made, node: ROOT_NODE, label: "", full_name: "" });
  const owner = toHex(0x99, { size: 20 });
  for (const label of ["eth", "reverse", "com", "xyz", "org", "app"]) {
    const node = childNode(ROOT_NODE, labelhash(label));
    const names = { label, full_name: label, label_length: label.length, labelhash: labelhash(label) };
    const owned = { registry_owner: owner, effective_owner_address: owner };
    put("domains", { ...root, ...made, ...names, ...owned, node, parent_node: ROOT_NODE });
  }
  const parent_node = childNode(ROOT_NODE, labelhash("reverse"));
  const addr = { label: "addr", full_name: "addr.reverse", label_length: 4, labelhash: labelhash("addr") };
  const owned = { registry_owner: owner, effective_owner_address: owner };
  put("domains", { ...root, ...made, ...addr, ...owned, node: ADDR_REVERSE_NODE, parent_node });
}

/** When a name ends: just under half are held, a few are in grace or premium, the others ended up to five years ago. */
function expiryOf(chance: Chance): number {
  const state = chance.next();
  const within = (from: number, to: number) =>
    Math.floor(WORLD_TIME + (from + chance.next() * (to - from)) * DAY);
  if (state < 0.4) return within(0, 730);
  if (state < 0.46) return within(730, 3_650);
  if (state < 0.49) return within(-90, 0);
  if (state < 0.5) return within(-111, -90);
  return within(-1_800, -111);
}

function putEthName(world: World, i: number, eth: Parent): EthName {
  const { put } = world;
  const chance = chanceOf(i);
  const label = newWord(chance, eth.children);
  const hash = labelhash(label);
  const node = childNode(ETH_NODE, hash);
  const isKnown = !chance.is(0.03);
  const shown = isKnown ? label : unknownLabel(hash);
  const expiry = expiryOf(chance);
  // The oldest were moved in the first weeks, some in each block.
  const begin = Math.max(
    FIRST_TIME + (i % 40) * DAY + (i % 7_200) * BLOCK_SECONDS,
    Math.min(expiry, WORLD_TIME) - Math.floor(chance.next() * 1_400 + 1) * DAY,
  );
  const owner = ownerBy(chance, world.owners);
  const isWrapped = expiry > FIRST_TIME + 900 * DAY && chance.is(0.3);
  const resolver = chance.is(0.05) ? null : chance.is(0.04) ? STRANGE_RESOLVER : chance.of(resolvers);
  const bought = momentOf(i, 0, begin);
  const fullName = `${shown}.eth`;
  const holder = isWrapped ? WRAPPER : owner;
  put("domains", {
    ...CHAIN,
    node,
    parent_node: ETH_NODE,
    labelhash: hash,
    label: shown,
    full_name: fullName,
    is_label_known: isKnown,
    is_name_known: isKnown,
    label_length: isKnown ? [...label].length : null,
    registry_owner: holder,
    registrar_owner: holder,
    is_migrated: true,
    resolver,
    registrar_expiry_timestamp: expiry,
    expiry_timestamp: expiry,
    effective_owner_address: owner,
    registered_timestamp: begin,
    is_wrapped: isWrapped,
    ...(isWrapped && {
      wrapper_owner: owner,
      wrapper_fuses: PARENT_CANNOT_CONTROL,
      wrapper_expiry_timestamp: expiry + GRACE,
    }),
    created_block_number: bought.log.block_number,
    created_timestamp: begin,
  });
  const buyer = chance.is(0.25) ? ownerBy(chance, world.owners) : owner;
  putPurchase(world, { at: bought, node, hash, owner: buyer, expiry, resolver, fullName });
  putRenewals(world, { chance, i, node, begin, expiry, fullName });
  // Later controllers wrap the names that they sell; the others were wrapped by their owners.
  const wrapped = chance.is(0.5) ? bought : momentOf(i, 5, begin + DAY);
  if (isWrapped)
    putEvent(world, wrapped, 8, {
      contract: "NAME_WRAPPER",
      contract_address: WRAPPER,
      event_type: "NameWrapped",
      node,
      owner_address: owner,
    });
  if (buyer !== owner) putTransfer(world, { chance, i, node, begin, owner, buyer });
  if (resolver !== null) putRecords(world, { chance, at: bought, node, resolver, owner, name: fullName });
  return { name: fullName, node, hash, begin, expiry, owner, isWrapped, resolver };
}

type Purchase = {
  at: Moment;
  node: Hex;
  hash: Hex;
  owner: Address;
  expiry: number;
  resolver: Address | null;
  fullName: string;
};

/** The four or five logs of a registration, and the changes that they are. */
function putPurchase(world: World, { at, node, owner, expiry, resolver, fullName }: Purchase): void {
  const { put } = world;
  const expires = { expiry_timestamp: expiry, owner_address: owner, node };
  putEvent(world, at, 0, {
    contract: "REGISTRY",
    contract_address: REGISTRY,
    event_type: "NewOwner",
    node,
    owner_address: owner,
  });
  putEvent(world, at, 1, {
    contract: "REGISTRAR",
    contract_address: REGISTRAR,
    event_type: "NameRegistered",
    ...expires,
  });
  if (resolver !== null) {
    putEvent(world, at, 2, {
      contract: "REGISTRY",
      contract_address: REGISTRY,
      event_type: "NewResolver",
      node,
      resolver_address: resolver,
    });
    put("resolver_changes", { ...at.log, log_index: at.index + 2, ordinal: 0, node, resolver });
  }
  const cost = { cost_wei: 3_000_000_000_000_000n, base_cost_wei: 3_000_000_000_000_000n, name: fullName };
  putEvent(world, at, 4, {
    contract: "CONTROLLER",
    contract_address: CONTROLLER,
    event_type: "NameRegistered",
    ...expires,
    ...cost,
  });
  putOwner(world, at, { node, owner, eventType: "NewOwner" });
}

function putOwner(
  { put }: World,
  at: Moment,
  { node, owner, eventType }: { node: Hex; owner: Address; eventType: string },
): void {
  const owners = { owner_address: owner, reason: "registrar", registry_owner: owner, registrar_owner: owner };
  put("ownership_changes", {
    ...at.log,
    log_index: at.index,
    ordinal: 0,
    node,
    ...owners,
    event_type: eventType,
  });
  const last = { last_owned_block_number: at.log.block_number, last_owned_block_timestamp: at.time };
  put("holders", { ...CHAIN, address: owner, node, ...last });
}

type Life = { chance: Chance; i: number; node: Hex; begin: number };

/** A renewal for each year and a half between the purchase and today. */
function putRenewals(
  world: World,
  { chance, i, node, begin, expiry, fullName }: Life & { expiry: number; fullName: string },
): void {
  for (
    let step = 1, at = begin + chance.next() * 550 * DAY;
    step < 5 && at < Math.min(expiry, WORLD_TIME);
    step++
  ) {
    const moment = momentOf(i, step, at);
    const fields = { event_type: "NameRenewed", node, expiry_timestamp: expiry };
    // Not the places of a purchase: the first renewal may be in the same block.
    putEvent(world, moment, 5, { contract: "REGISTRAR", contract_address: REGISTRAR, ...fields });
    putEvent(world, moment, 6, {
      contract: "CONTROLLER",
      contract_address: CONTROLLER,
      ...fields,
      name: fullName,
      cost_wei: 3_000_000_000_000_000n,
    });
    at += (0.5 + chance.next()) * 550 * DAY;
  }
}

/** The buyer passed the name on to its present owner. */
function putTransfer(
  world: World,
  { chance, i, node, begin, owner, buyer }: Life & { owner: Address; buyer: Address },
): void {
  const moment = momentOf(i, 6, begin + chance.next() * (WORLD_TIME - begin));
  const fields = { event_type: "Transfer", node, from_address: buyer, to_address: owner };
  putEvent(world, moment, 9, { contract: "REGISTRAR", contract_address: REGISTRAR, ...fields });
  putOwner(world, { ...moment, index: moment.index + 9 }, { node, owner, eventType: "Transfer" });
}

type Records = { chance: Chance; at: Moment; node: Hex; resolver: Address; owner: Address; name: string };

function putRecords(world: World, { chance, at, node, resolver, owner, name }: Records): void {
  const { put } = world;
  const of = { ...CHAIN, resolver, node, version: 0, block_number: at.log.block_number };
  if (chance.is(0.6)) {
    put("address_records", { ...of, coin_type: 60, address: owner, transaction_hash: at.transaction });
    putEvent(world, at, 3, {
      contract: "RESOLVER",
      contract_address: resolver,
      event_type: "AddrChanged",
      node,
      coin_type: 60,
      address: owner,
    });
  }
  if (!chance.is(0.2)) return;
  put("resolver_nodes", { ...of, version: 0, contenthash: chance.is(0.2) ? "0xe30101701220" : null });
  for (const [step, { key, hash }] of texts.slice(0, 1 + chance.below(4)).entries()) {
    const text = { key, value: `https://example.org/${name}` };
    const place = { log_index: at.index + 10 + step, transaction_hash: at.transaction };
    put("text_records", {
      ...of,
      ...text,
      ...place,
      key_hash: hash,
      is_value_known: true,
      sets_in_transaction: 1,
      is_read: false,
    });
    putEvent(world, at, 10 + step, {
      contract: "RESOLVER",
      contract_address: resolver,
      event_type: "TextChanged",
      node,
      ...text,
      value_source: "event",
    });
  }
}

function putSubname(world: World, i: number, parent: Parent): void {
  const { put } = world;
  const chance = chanceOf(i + 7);
  const label = newWord(chance, parent.children);
  const hash = labelhash(label);
  const node = childNode(parent.node, hash);
  const isKnown = !chance.is(0.08);
  const shown = isKnown ? label : unknownLabel(hash);
  const owner = ownerBy(chance, world.owners);
  const isDeleted = chance.is(0.03);
  const isWrapped = !isDeleted && chance.is(0.5);
  const expiry = isWrapped && chance.is(0.6) ? expiryOf(chance) : null;
  const at = momentOf(i, 0, WORLD_TIME - chance.next() * 1_500 * DAY);
  const fullName = `${shown}.${parent.name}`;
  const resolver = chance.is(0.5) ? null : chance.of(resolvers);
  put("domains", {
    ...CHAIN,
    node,
    parent_node: parent.node,
    labelhash: hash,
    label: shown,
    full_name: fullName,
    is_label_known: isKnown,
    is_name_known: isKnown && !fullName.includes("["),
    label_length: isKnown ? [...label].length : null,
    is_migrated: true,
    resolver,
    is_wrapped: isWrapped,
    expiry_timestamp: expiry,
    ...(!isDeleted && { registry_owner: isWrapped ? WRAPPER : owner, effective_owner_address: owner }),
    ...(isWrapped && {
      wrapper_owner: owner,
      wrapper_fuses: expiry === null ? 0 : PARENT_CANNOT_CONTROL,
      wrapper_expiry_timestamp: expiry ?? 0,
    }),
    created_block_number: at.log.block_number,
    created_timestamp: at.time,
  });
  putEvent(world, at, 0, {
    contract: "REGISTRY",
    contract_address: REGISTRY,
    event_type: "NewOwner",
    node,
    owner_address: owner,
  });
  putOwner(world, at, { node, owner, eventType: "NewOwner" });
  if (resolver === null) return;
  putEvent(world, at, 2, {
    contract: "REGISTRY",
    contract_address: REGISTRY,
    event_type: "NewResolver",
    node,
    resolver_address: resolver,
  });
  put("resolver_changes", { ...at.log, log_index: at.index + 2, ordinal: 0, node, resolver });
  putRecords(world, { chance, at, node, resolver, owner, name: fullName });
}

/** The reverse node of the i-th address, which claims a name, now and before. */
function putReverseName(world: World, i: number): void {
  const { put, owners, names } = world;
  const chance = chanceOf(i);
  const address = addressOfOwner(i % owners);
  const label = address.slice(2);
  const hash = labelhash(label);
  const node = childNode(ADDR_REVERSE_NODE, hash);
  const resolver = resolvers[3]?.[1] as Address;
  const at = momentOf(i, 0, WORLD_TIME - chance.next() * 1_500 * DAY);
  const claim = chance.is(0.05) ? null : `${newWord(chanceOf(chance.below(names)), new Set())}.eth`;
  const owned = { registry_owner: address, effective_owner_address: address };
  put("domains", {
    ...CHAIN,
    node,
    parent_node: ADDR_REVERSE_NODE,
    labelhash: hash,
    label,
    full_name: `${label}.addr.reverse`,
    is_label_known: true,
    is_name_known: true,
    label_length: 40,
    ...owned,
    is_migrated: true,
    resolver,
    is_wrapped: false,
    created_block_number: at.log.block_number,
    created_timestamp: at.time,
  });
  put("resolver_nodes", {
    ...CHAIN,
    resolver,
    node,
    version: 0,
    name: claim,
    block_number: at.log.block_number,
  });
  const made = {
    ...CHAIN,
    address,
    is_name_known: true,
    registrar: "REVERSE_REGISTRAR",
    coin_type: 60,
    transaction_hash: at.transaction,
  };
  put("primary_names", { ...made, name: claim, block_number: at.log.block_number });
  for (const step of [0, 1].slice(0, chance.is(0.3) ? 2 : 1)) {
    const change = { name: step === 0 ? claim : `${label.slice(30)}.eth`, log_index: at.index + step };
    putEvent(world, at, step, {
      contract: "RESOLVER",
      contract_address: resolver,
      event_type: "NameChanged",
      node,
      name: change.name,
    });
    put("primary_name_changes", {
      ...made,
      ...change,
      block_number: at.log.block_number,
      block_timestamp: at.time,
    });
  }
}
