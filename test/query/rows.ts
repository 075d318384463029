import type { domain, event } from "ponder:schema";
import { type Address, type Hex, keccak256, namehash, stringToBytes, toHex } from "viem";
import { contractsOf } from "../../abis/contracts.ts";
import type { Deployment } from "../../abis/deployments.ts";
import { noEnsv2, type Scope } from "../../src/api/names/query/scope.ts";

export const CHAIN_ID = 31337;
export const LAYER2_CHAIN_ID = 31338;

/** An address that is easy to tell from others. */
export const account = (number: number): Address => toHex(number, { size: 20 });

export const transaction = (number: number): Hex => toHex(number, { size: 32 });

/** A deployment as the tests' rows know it. */
export const deployment: Deployment = {
  name: "devnet",
  chainId: CHAIN_ID,
  contracts: [
    { role: "registry", generation: 2, address: account(0xe1), startBlock: 1 },
    { role: "registrar", generation: 2, address: account(0xe2), startBlock: 2 },
    { role: "controller", generation: 5, address: account(0xe3), startBlock: 7 },
    { role: "wrapper", generation: 1, address: account(0xe4), startBlock: 4 },
    { role: "resolver", generation: 4, address: account(0xe5), startBlock: 5, static: true },
    { role: "resolver", generation: 4, address: account(0xe6), startBlock: 6 },
    { role: "resolver", generation: 5, address: account(0xe7), startBlock: 8, static: true },
    { role: "reverse-registrar", generation: 1, address: account(0xe8), startBlock: 3 },
    { role: "reverse-registrar", generation: 3, address: account(0xe9), startBlock: 9 },
    { role: "default-reverse-registrar", generation: 1, address: account(0xea), startBlock: 10 },
    { role: "agent-registry", generation: 1, address: account(0xec), startBlock: 11 },
    { role: "agent-adapter", generation: 1, address: account(0xed), startBlock: 12 },
  ],
  layer2: [
    {
      name: "devnet2",
      chainId: LAYER2_CHAIN_ID,
      contracts: [
        { role: "l2-reverse-registrar", generation: 1, address: account(0xeb), startBlock: 1 },
        { role: "agent-registry", generation: 1, address: account(0xec), startBlock: 2 },
        { role: "agent-adapter", generation: 1, address: account(0xef), startBlock: 3 },
      ],
    },
  ],
};

export const contracts = contractsOf(deployment);
/** The main chain only, as the API's statements have it. */
export const MAIN: Scope = { ids: [CHAIN_ID], reach: "main", ensv2: noEnsv2 };
export const WRAPPER = account(0xe4);
export const STATIC_RESOLVER = account(0xe5);
export const LISTED_RESOLVER = account(0xe6);
/** A static resolver that supports ENSIP-19. */
export const DEFAULT_ADDRESS_RESOLVER = account(0xe7);
/** The agent registry, at the same address on both chains, and the adapters, which differ. */
export const AGENT_REGISTRY = account(0xec);
export const AGENT_ADAPTER = account(0xed);
export const LAYER2_AGENT_ADAPTER = account(0xef);
export const REGISTRAR = account(0xe2);
export const STRANGE_RESOLVER = account(0xee);

export type DomainRow = typeof domain.$inferInsert;
export type EventRow = typeof event.$inferInsert;

/** A name's row. By default unwrapped and without owner, expiry and resolver. */
export function domainRow(name: string, fields: Partial<DomainRow> = {}): DomainRow {
  const [label = "", ...parents] = name.split(".");
  return {
    chainId: CHAIN_ID,
    node: namehash(name),
    parentNode: namehash(parents.join(".")),
    labelhash: keccak256(stringToBytes(label)),
    label,
    isLabelKnown: true,
    labelLength: [...label].length,
    fullName: name,
    isNameKnown: true,
    isMigrated: true,
    isWrapped: false,
    createdBlockNumber: 1,
    createdTimestamp: 1_600_000_000,
    ...fields,
  };
}

/** A .eth second-level name with an owner in the registrar. */
export const registeredRow = (
  name: string,
  owner: Address,
  expiry: bigint,
  fields: Partial<DomainRow> = {},
) =>
  domainRow(name, {
    registryOwner: owner,
    registrarOwner: owner,
    effectiveOwnerAddress: owner,
    registrarExpiryTimestamp: expiry,
    expiryTimestamp: expiry,
    ...fields,
  });

/** Rows of names that the index may answer for: those without a resolver get an indexed one. */
export const answerable = (rows: readonly DomainRow[], resolver: Address = STATIC_RESOLVER): DomainRow[] =>
  rows.map((row) => ({ ...row, resolver: row.resolver ?? resolver }));

/** A row of the event log. `at` is its place on the chain. */
export function eventRow(
  at: { block: number; log?: number; tx?: number },
  fields: Partial<EventRow> & Pick<EventRow, "contract" | "eventType">,
): EventRow {
  return {
    chainId: CHAIN_ID,
    blockNumber: at.block,
    logIndex: at.log ?? 0,
    ordinal: 0,
    blockTimestamp: 1_600_000_000 + at.block * 12,
    transactionHash: transaction(at.tx ?? at.block),
    contractAddress: account(0xe1),
    ...fields,
  };
}
