import { domain, event, holder, ownershipChange, resolverChange, textRecord } from "ponder:schema";
import { type Address, namehash } from "viem";
import { contractsOf } from "../../abis/contracts.ts";
import type { Deployment } from "../../abis/deployments.ts";
import {
  account,
  at,
  CHAIN_ID,
  DAY,
  type DomainRow,
  deployment,
  domainRow,
  type EventRow,
  eventRow,
  holderRow,
  inDays,
  NOW,
  ownedBy,
  ownershipRow,
  registeredRow,
  STATIC_RESOLVER,
  textRow,
  wrappedBy,
} from "./rows.ts";
import type { Tables } from "./tables.ts";

/* Names of two layer 2s beside those of the main chain. */

export const BASE = 8_453;
const LINEA = 59_144;

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
    ...wrappedBy(owner, expiry + BigInt(90 * DAY), 65_536 | 131_072 | 1),
    registryOwner: LINEA_WRAPPER,
    resolver: LINEA_RESOLVER,
    ...fields,
  });

const rows: DomainRow[] = [
  domainRow("eth", ownedBy(account(0xe2))),
  registeredRow("alice.eth", jesse, inDays(100), { resolver: STATIC_RESOLVER }),
  registeredRow("base.eth", other, inDays(1_000), { resolver: BASE_BRIDGE }),
  registeredRow("linea.eth", other, inDays(1_000), { resolver: LINEA_BRIDGE }),
  // On the main chain, with and without a resolver of its own.
  domainRow("gov.base.eth", { ...ownedBy(other), resolver: STATIC_RESOLVER }),
  basename("gov.base.eth", jesse, inDays(300)),
  domainRow("both.base.eth", ownedBy(other)),
  basename("both.base.eth", jesse, inDays(300)),
  // Below a name that has another resolver on the main chain.
  domainRow("mid.base.eth", { ...ownedBy(other), resolver: account(0xee) }),
  basename("mid.base.eth", jesse, inDays(300)),
  domainRow("x.mid.base.eth", { ...onBase, ...ownedBy(jesse), resolver: BASE_RESOLVER }),
  basename("jesse.base.eth", jesse, inDays(20)),
  domainRow("sub.jesse.base.eth", { ...onBase, ...ownedBy(jesse), resolver: BASE_RESOLVER }),
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

const soldName = "sold.base.eth";
const sold = namehash(soldName);

type Log = { block: number; log?: number; address: Address };

const logOn = (
  chainId: number,
  { block: number, log, address }: Log,
  contract: string,
  eventType: string,
  fields: Partial<EventRow>,
) =>
  eventRow(
    { block: number, log },
    { contract, contractAddress: address, eventType, node: sold, ...fields, chainId, ...block(number) },
  );

const bought = { ownerAddress: jesse, expiryTimestamp: inDays(200) };
const [REGISTRY, REGISTRAR, CONTROLLER] = [account(0xc1), account(0xc2), account(0xc3)];
const ofMain = account(0xe1);
const base = { node: namehash("base.eth") };
const url = (value: string) => ({ key: "url", value });

/**
 * `sold.base.eth`: bought by one, sold to another. On the main chain a stranger created the same
 * node.
 */
const events: EventRow[] = [
  logOn(BASE, { block: 10, log: 1, address: REGISTRAR }, "REGISTRAR", "NameRegisteredWithRecord", bought),
  logOn(BASE, { block: 10, log: 2, address: CONTROLLER }, "CONTROLLER", "NameRegistered", {
    ...bought,
    costWei: 10n ** 15n,
  }),
  logOn(BASE, { block: 11, address: REGISTRAR }, "REGISTRAR", "Transfer", {
    fromAddress: jesse,
    toAddress: other,
  }),
  logOn(CHAIN_ID, { block: 12, address: ofMain }, "REGISTRY", "NewOwner", { ownerAddress: account(0xbad) }),
  // Scaffolding: the layer 2's registry has a node for base.eth itself.
  logOn(BASE, { block: 1, address: REGISTRY }, "REGISTRY", "NewOwner", { ...base, ownerAddress: other }),
  logOn(CHAIN_ID, { block: 2, address: ofMain }, "REGISTRY", "NewResolver", {
    ...base,
    resolverAddress: BASE_BRIDGE,
  }),
  // The layer 2 resolver's address on the main chain: a stranger's contract.
  logOn(
    CHAIN_ID,
    { block: 13, address: BASE_RESOLVER },
    "RESOLVER",
    "TextChanged",
    url("no word of its owner"),
  ),
  logOn(BASE, { block: 14, address: BASE_RESOLVER }, "RESOLVER", "TextChanged", url("https://sold.example")),
];

const changeOn = (
  chainId: number,
  number: number,
  owner: Address,
  reason: "registrar" | "registry",
  eventType: string,
) =>
  ownershipRow({ block: number, log: 3 }, soldName, owner, {
    chainId,
    reason,
    registryOwner: owner,
    registrarOwner: reason === "registrar" ? owner : null,
    eventType,
    ...block(number),
  });

export async function fill({ writer }: Tables): Promise<void> {
  await writer.insert(domain).values(rows);
  await writer.insert(event).values(events);
  await writer
    .insert(ownershipChange)
    .values([
      changeOn(BASE, 10, jesse, "registrar", "NameRegisteredWithRecord"),
      changeOn(BASE, 11, other, "registrar", "Transfer"),
      changeOn(CHAIN_ID, 12, account(0xbad), "registry", "NewOwner"),
    ]);
  const set = { ...at(10, 4), ...block(10), chainId: BASE, node: sold, resolver: BASE_RESOLVER };
  await writer.insert(resolverChange).values([set]);
  const held = (chainId: number, name: string, block: number) => ({
    ...holderRow(jesse, name, block),
    chainId,
  });
  await writer
    .insert(holder)
    .values([
      held(BASE, soldName, 10),
      held(BASE, "base.eth", 1),
      held(BASE, "jesse.base.eth", 9),
      held(CHAIN_ID, "linea.eth", 500),
      held(LINEA, "ended.linea.eth", 8),
    ]);
  const onBaseResolver = { chainId: BASE, resolver: BASE_RESOLVER };
  await writer
    .insert(textRecord)
    .values([textRow("jesse.base.eth", "url", "https://base.example", onBaseResolver)]);
}
