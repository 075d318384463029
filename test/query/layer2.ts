import { domain, event, holder, ownershipChange, resolverChange, textRecord } from "ponder:schema";
import { type Address, type Hex, keccak256, namehash, stringToBytes } from "viem";
import { contractsOf } from "../../abis/contracts.ts";
import type { Deployment } from "../../abis/deployments.ts";
import {
  account,
  CHAIN_ID,
  type DomainRow,
  deployment,
  domainRow,
  type EventRow,
  eventRow,
  registeredRow,
  STATIC_RESOLVER,
  transaction,
} from "./rows.ts";
import type { Tables } from "./tables.ts";

/* Names of two layer 2s beside those of the main chain. */

export const BASE = 8_453;
const LINEA = 59_144;
export const NOW = 1_800_000_000;
const DAY = 86_400;
export const inDays = (days: number) => BigInt(NOW + days * DAY);

/** Resolvers on the main chain that answer from the layer 2s. */
export const BASE_BRIDGE = account(0xb1);
const LINEA_BRIDGE = account(0xb2);
/** Resolvers on the layer 2s. */
export const BASE_RESOLVER = account(0xb3);
export const LINEA_RESOLVER = account(0xb4);
export const LINEA_WRAPPER = account(0xb5);

export const jesse = account(0x1e55e);
export const other = account(0x07e4);

const layer2: Deployment["layer2"] = [
  {
    name: "base",
    chainId: BASE,
    managedName: { name: "base.eth", bridges: [BASE_BRIDGE] },
    contracts: [
      { role: "registry", generation: 2, address: account(0xc1), startBlock: 1 },
      { role: "registrar", generation: 3, address: account(0xc2), startBlock: 2 },
      { role: "controller", generation: 6, address: account(0xc3), startBlock: 3 },
      { role: "resolver", generation: 5, address: BASE_RESOLVER, startBlock: 4, static: true },
      { role: "reverse-registrar", generation: 4, address: account(0xc4), startBlock: 5 },
    ],
  },
  {
    name: "linea",
    chainId: LINEA,
    managedName: { name: "linea.eth", bridges: [LINEA_BRIDGE] },
    contracts: [
      { role: "registry", generation: 2, address: account(0xd1), startBlock: 1 },
      { role: "registrar", generation: 2, address: account(0xd2), startBlock: 2 },
      { role: "wrapper", generation: 1, address: LINEA_WRAPPER, startBlock: 3 },
      { role: "controller", generation: 7, address: account(0xd3), startBlock: 4 },
      { role: "resolver", generation: 4, address: LINEA_RESOLVER, startBlock: 5, static: true },
    ],
  },
];

export const contracts = contractsOf({ ...deployment, layer2: [...deployment.layer2, ...layer2] });

const onBase = { chainId: BASE };
const onLinea = { chainId: LINEA };

/** A Basename with an owner. */
export const basename = (name: string, owner: Address, expiry: bigint, fields: Partial<DomainRow> = {}) =>
  registeredRow(name, owner, expiry, { ...onBase, resolver: BASE_RESOLVER, ...fields });

/** A Lineaname, which the controller always wraps. */
export const lineaname = (name: string, owner: Address, expiry: bigint, fields: Partial<DomainRow> = {}) =>
  registeredRow(name, LINEA_WRAPPER, expiry, {
    ...onLinea,
    wrapperOwner: owner,
    wrapperFuses: 65_536 | 131_072 | 1,
    wrapperExpiryTimestamp: expiry + BigInt(90 * DAY),
    isWrapped: true,
    effectiveOwnerAddress: owner,
    resolver: LINEA_RESOLVER,
    ...fields,
  });

const owned = (owner: Address) => ({ registryOwner: owner, effectiveOwnerAddress: owner });

const rows: DomainRow[] = [
  domainRow("eth", owned(account(0xe2))),
  registeredRow("alice.eth", jesse, inDays(100), { resolver: STATIC_RESOLVER }),
  registeredRow("base.eth", other, inDays(1_000), { resolver: BASE_BRIDGE }),
  registeredRow("linea.eth", other, inDays(1_000), { resolver: LINEA_BRIDGE }),
  // On the main chain, with and without a resolver of its own.
  domainRow("gov.base.eth", { ...owned(other), resolver: STATIC_RESOLVER }),
  basename("gov.base.eth", jesse, inDays(300)),
  domainRow("both.base.eth", owned(other)),
  basename("both.base.eth", jesse, inDays(300)),
  // Below a name that has another resolver on the main chain.
  domainRow("mid.base.eth", { ...owned(other), resolver: account(0xee) }),
  basename("mid.base.eth", jesse, inDays(300)),
  domainRow("x.mid.base.eth", { ...onBase, ...owned(jesse), resolver: BASE_RESOLVER }),
  basename("jesse.base.eth", jesse, inDays(20)),
  domainRow("sub.jesse.base.eth", { ...onBase, ...owned(jesse), resolver: BASE_RESOLVER }),
  basename("strange.base.eth", jesse, inDays(50), { resolver: account(0xee) }),
  basename("premint.base.eth", jesse, inDays(400), { registryOwner: null, resolver: null }),
  basename("grace.base.eth", jesse, inDays(-90)),
  basename("premium.base.eth", jesse, inDays(-100)),
  basename("ended.base.eth", jesse, inDays(-111)),
  lineaname("jesse.linea.eth", jesse, inDays(10)),
  lineaname("grace.linea.eth", jesse, inDays(-90)),
  lineaname("ended.linea.eth", jesse, BigInt(NOW - 90 * DAY - 1)),
  basename("sold.base.eth", other, inDays(200)),
];

const block = (number: number) => ({ blockNumber: number, blockTimestamp: NOW - 3_600 + number });

const eventOn = (
  chainId: number,
  at: { block: number; log?: number; tx?: number },
  fields: Partial<EventRow> & Pick<EventRow, "contract" | "eventType">,
) => eventRow(at, { ...fields, chainId, ...block(at.block) });

const sold = namehash("sold.base.eth");

/**
 * `sold.base.eth`: bought by one, sold to another. On the main chain a stranger created the same
 * node.
 */
const events: EventRow[] = [
  eventOn(
    BASE,
    { block: 10, log: 1 },
    {
      contract: "REGISTRAR",
      contractAddress: account(0xc2),
      eventType: "NameRegisteredWithRecord",
      node: sold,
      ownerAddress: jesse,
      expiryTimestamp: inDays(200),
    },
  ),
  eventOn(
    BASE,
    { block: 10, log: 2 },
    {
      contract: "CONTROLLER",
      contractAddress: account(0xc3),
      eventType: "NameRegistered",
      node: sold,
      ownerAddress: jesse,
      expiryTimestamp: inDays(200),
      costWei: 10n ** 15n,
    },
  ),
  eventOn(
    BASE,
    { block: 11 },
    {
      contract: "REGISTRAR",
      contractAddress: account(0xc2),
      eventType: "Transfer",
      node: sold,
      fromAddress: jesse,
      toAddress: other,
    },
  ),
  eventOn(
    CHAIN_ID,
    { block: 12 },
    {
      contract: "REGISTRY",
      contractAddress: account(0xe1),
      eventType: "NewOwner",
      node: sold,
      ownerAddress: account(0xbad),
    },
  ),
  // Scaffolding: the layer 2's registry has a node for base.eth itself.
  eventOn(
    BASE,
    { block: 1 },
    {
      contract: "REGISTRY",
      contractAddress: account(0xc1),
      eventType: "NewOwner",
      node: namehash("base.eth"),
      ownerAddress: other,
    },
  ),
  eventOn(
    CHAIN_ID,
    { block: 2 },
    {
      contract: "REGISTRY",
      contractAddress: account(0xe1),
      eventType: "NewResolver",
      node: namehash("base.eth"),
      resolverAddress: BASE_BRIDGE,
    },
  ),
  // The layer 2 resolver's address on the main chain: a stranger's contract.
  eventOn(
    CHAIN_ID,
    { block: 13 },
    {
      contract: "RESOLVER",
      contractAddress: BASE_RESOLVER,
      eventType: "TextChanged",
      node: sold,
      key: "url",
      value: "no word of its owner",
    },
  ),
  eventOn(
    BASE,
    { block: 14 },
    {
      contract: "RESOLVER",
      contractAddress: BASE_RESOLVER,
      eventType: "TextChanged",
      node: sold,
      key: "url",
      value: "https://sold.example",
    },
  ),
];

const changeOn = (chainId: number, at: number, owner: Address | null, eventType: string) => ({
  chainId,
  logIndex: 3,
  ordinal: 0,
  node: sold,
  ownerAddress: owner,
  registryOwner: owner,
  reason: "registry" as const,
  eventType,
  transactionHash: transaction(at),
  ...block(at),
});

export async function fill({ writer }: Tables): Promise<void> {
  await writer.insert(domain).values(rows);
  await writer.insert(event).values(events);
  await writer.insert(ownershipChange).values([
    {
      ...changeOn(BASE, 10, jesse, "NameRegisteredWithRecord"),
      reason: "registrar",
      registrarOwner: jesse,
    },
    { ...changeOn(BASE, 11, other, "Transfer"), reason: "registrar", registrarOwner: other },
    changeOn(CHAIN_ID, 12, account(0xbad), "NewOwner"),
  ]);
  await writer.insert(resolverChange).values([
    {
      chainId: BASE,
      logIndex: 4,
      node: sold,
      resolver: BASE_RESOLVER,
      transactionHash: transaction(10),
      ...block(10),
    },
  ]);
  const held = (chainId: number, name: string, address: Address, at: number) => ({
    address,
    chainId,
    node: namehash(name),
    lastOwnedBlockNumber: at,
    lastOwnedBlockTimestamp: NOW - 3_600 + at,
  });
  await writer
    .insert(holder)
    .values([
      held(BASE, "sold.base.eth", jesse, 10),
      held(BASE, "base.eth", jesse, 1),
      held(BASE, "jesse.base.eth", jesse, 9),
      held(CHAIN_ID, "linea.eth", jesse, 500),
      held(LINEA, "ended.linea.eth", jesse, 8),
    ]);
  await writer
    .insert(textRecord)
    .values([text(BASE, BASE_RESOLVER, "jesse.base.eth", "url", "https://base.example")]);
}

const text = (chainId: number, resolver: Address, name: string, key: string, value: string) => ({
  chainId,
  resolver,
  node: namehash(name) as Hex,
  version: 0,
  keyHash: keccak256(stringToBytes(key)),
  key,
  value,
  isValueKnown: true,
  blockNumber: 5,
  logIndex: 0,
  transactionHash: transaction(5),
  setsInTransaction: 1,
  isRead: false,
});
