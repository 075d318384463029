import type { ensv2Entry, ensv2Link, ensv2Proxy, ensv2Purchase, ensv2Role } from "ponder:schema";
import { type Address, type Hex, keccak256, namehash, stringToBytes, toHex } from "viem";
import { contractsOf } from "../../abis/contracts.ts";
import { deploymentShape } from "../../abis/deployments.ts";
import { mainChain, type Scope } from "../../src/api/names/query/scope.ts";
import type { Walk } from "../../src/api/names/resolution/ensv2/walk.ts";
import { account, at, CHAIN_ID, DAY, type DomainRow, deployment, domainRow, transaction } from "./rows.ts";

/* A deployment with ENSv2, with rows for its tables. */

export const ROOT = account(0x2001);
export const ETH_REGISTRY = account(0x2002);
/** Code of registries, wrapper registries and resolvers that the deployment lists. */
export const REGISTRY_CODE = account(0x2003);
export const WRAPPER_CODE = account(0x2004);
export const RESOLVER_CODE = account(0x2005);
export const ENSV1_RESOLVER = account(0x2006);
/** An ENSv2 resolver that keeps records by node. */
export const NODE_RESOLVER = account(0x2007);
export const MIGRATOR = account(0x2008);
export const GRAVEYARD = account(0x2009);
export const REGISTRAR = account(0x200a);
/** An ENSv2 resolver with numbered records, and an unknown one. */
export const RESOLVER = account(0x200b);
export const STRANGE = account(0x200c);
export const USDC = account(0x200d);
export const DAI = account(0x200e);

const block = deploymentShape.shape.ensv2.parse({
  startBlock: 1,
  rootRegistry: ROOT,
  ethRegistry: ETH_REGISTRY,
  registrars: [REGISTRAR],
  migrationControllers: [MIGRATOR],
  graveyards: [GRAVEYARD],
  implementations: { registry: [REGISTRY_CODE], wrapper: [WRAPPER_CODE], resolver: [RESOLVER_CODE] },
  ensV1Resolvers: [ENSV1_RESOLVER],
  publicResolvers: [NODE_RESOLVER],
  paymentTokens: [
    { address: USDC, symbol: "USDC", decimals: 6 },
    { address: DAI, symbol: "DAI", decimals: 18 },
  ],
});

export const contracts = contractsOf({ ...deployment, ensv2: block });

export type EntryRow = typeof ensv2Entry.$inferInsert;

export const labelhashOf = (label: string): Hex => keccak256(stringToBytes(label));

/** Where a registry keeps a label. */
export const storageIdOf = (labelhash: Hex): Hex => `${labelhash.slice(0, 58)}00000000` as Hex;

/** Later than any test. */
export const FAR = 2n ** 64n - 1n;

let counter = 0;

/** A registry entry, registered unless given otherwise. */
export function entryRow(registry: Address, label: string, fields: Partial<EntryRow> = {}): EntryRow {
  const storageId = storageIdOf(labelhashOf(label));
  return {
    chainId: CHAIN_ID,
    registry,
    storageId,
    labelhash: labelhashOf(label),
    label,
    tokenId: BigInt(storageId) + 1n,
    resource: BigInt(storageId) + 2n,
    owner: null,
    expiry: FAR,
    subregistry: null,
    resolver: null,
    isRegistered: true,
    registeredBy: REGISTRAR,
    registeredBlockNumber: 10,
    registeredTimestamp: 1_600_000_120,
    registeredTransactionHash: transaction(10),
    number: counter++,
    createdBlockNumber: 1,
    ...fields,
  };
}

/** A reservation: the label was never registered. */
export const reservedRow = (label: string, expiry: bigint, fields: Partial<EntryRow> = {}): EntryRow =>
  entryRow(ETH_REGISTRY, label, {
    expiry,
    resolver: ENSV1_RESOLVER,
    resource: null,
    isRegistered: false,
    registeredBy: null,
    registeredBlockNumber: null,
    registeredTimestamp: null,
    registeredTransactionHash: null,
    reservedBlockNumber: 9,
    reservedTimestamp: 1_600_000_108,
    reservedTransactionHash: transaction(9),
    ...fields,
  });

/** A contract deployed by a factory. */
export const proxyRow = (address: Address, implementation: Address): typeof ensv2Proxy.$inferInsert => ({
  chainId: CHAIN_ID,
  address,
  implementation,
  deployedBy: account(1),
  blockNumber: 1,
  transactionHash: transaction(1),
});

/** The root registry's entry of `eth`. */
export const ETH_ENTRY = entryRow(ROOT, "eth", { subregistry: ETH_REGISTRY, owner: account(0xda0) });

/** The node under which a resolver keeps a numbered record. */
export const record = (number: number): Hex => toHex(number, { size: 32 });

/** A name's record number at a resolver. */
export const linkRow = (
  name: string,
  number: number | null,
  resolver = RESOLVER,
): typeof ensv2Link.$inferInsert => ({
  ...at(11),
  resolver,
  node: namehash(name),
  record: number === null ? null : record(number),
});

/** Roles of an account on a resource of a contract; 0 is the whole contract. */
export const roleRow = (
  contract: Address,
  resource: bigint | null | undefined,
  holder: Address,
  roles: bigint,
): typeof ensv2Role.$inferInsert => ({
  ...at(10, 1),
  contract,
  resource: resource ?? 0n,
  account: holder,
  roles,
});

/** The main chain only. */
export const MAIN: Scope = mainChain(contracts);

/** The deployment's times, in seconds. */
export const GRACE = 28 * DAY;
export const PREMIUM = 21 * DAY;
/** The expiry of a graveyard's registration in ENSv1. */
export const RETIRED_EXPIRY = FAR - BigInt(90 * DAY);

/** An ENSv2 .eth name. */
export const ensv2Row = (name: string, holder: Address, expiry: bigint, fields: Partial<DomainRow> = {}) =>
  domainRow(name, {
    registry: ETH_REGISTRY,
    effectiveOwnerAddress: holder,
    expiryTimestamp: expiry,
    ...fields,
  });

/** A registration at the ENSv2 registrar, unless told otherwise. */
export const purchaseRow = (
  { block, log }: { block: number; log?: number },
  fields: Partial<typeof ensv2Purchase.$inferInsert> & { node: Hex },
): typeof ensv2Purchase.$inferInsert => ({
  ...at(block, log),
  eventType: "NameRegistered",
  contractAddress: REGISTRAR,
  paymentToken: USDC,
  amount: 5_000_000n,
  durationSeconds: 31_536_000n,
  ...fields,
});

/** A way through the registries that finds nothing, except for the given. */
export const walkOf = (walk: Partial<Walk>): Walk => ({
  entry: null,
  resolver: null,
  isKnown: true,
  pathExpiry: null,
  isBelowRegistered: false,
  registeredAbove: null,
  unknown: null,
  missing: null,
  ...walk,
});
