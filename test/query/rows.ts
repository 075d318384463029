import type {
  addressRecord,
  domain,
  event,
  holder,
  ownershipChange,
  primaryName,
  primaryNameChange,
  resolverNode,
  textRecord,
} from "ponder:schema";
import { type Address, type Hex, keccak256, namehash, stringToBytes, toHex } from "viem";
import { contractsOf } from "../../abis/contracts.ts";
import type { Deployment } from "../../abis/deployments.ts";
import { noEnsv2, type Scope } from "../../src/api/names/query/scope.ts";

export const CHAIN_ID = 31337;
export const LAYER2_CHAIN_ID = 31338;

/** The time of most tests. */
export const NOW = 1_800_000_000;
export const DAY = 86_400;
export const inDays = (days: number) => BigInt(NOW + days * DAY);

/** An address that is easy to tell from others. */
export const account = (number: number): Address => toHex(number, { size: 20 });

export const [alice, bob, carol] = [account(0xa11ce), account(0xb0b), account(0xca401)] as const;

export const transaction = (number: number): Hex => toHex(number, { size: 32 });

/** Place and time of a log. Tables without one of these columns ignore it. */
export const at = (block: number, log = 0, tx = block) => ({
  chainId: CHAIN_ID,
  blockNumber: block,
  logIndex: log,
  blockTimestamp: 1_600_000_000 + block * 12,
  transactionHash: transaction(tx),
});

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

/** Owned in the registry only. */
export const ownedBy = (owner: Address) => ({ registryOwner: owner, effectiveOwnerAddress: owner });

export const PARENT_CANNOT_CONTROL = 65_536;

/** Held by the NameWrapper for an owner. */
export const wrappedBy = (owner: Address, expiry: bigint, fuses = PARENT_CANNOT_CONTROL) => ({
  registryOwner: WRAPPER,
  wrapperOwner: owner,
  effectiveOwnerAddress: owner,
  isWrapped: true,
  wrapperFuses: fuses,
  wrapperExpiryTimestamp: expiry,
});

/** A wrapped subname, emancipated unless told otherwise. */
export const subnameRow = (name: string, owner: Address, expiry: bigint, fuses?: number) =>
  domainRow(name, { ...wrappedBy(owner, expiry, fuses), expiryTimestamp: expiry });

/** Rows of names that the index may answer for: those without a resolver get an indexed one. */
export const answerable = (rows: readonly DomainRow[], resolver: Address = STATIC_RESOLVER): DomainRow[] =>
  rows.map((row) => ({ ...row, resolver: row.resolver ?? resolver }));

type Place = { block: number; log?: number | undefined; tx?: number };

/** A row of the event log. */
export const eventRow = (
  { block, log, tx }: Place,
  fields: Partial<EventRow> & Pick<EventRow, "contract" | "eventType">,
): EventRow => ({ ...at(block, log, tx), ordinal: 0, contractAddress: account(0xe1), ...fields });

const setFor = (name: string) => ({ ...at(7), resolver: STATIC_RESOLVER, node: namehash(name), version: 0 });

/** A text record of a name at the static resolver. */
export const textRow = (
  name: string,
  key: string,
  value: string | null,
  fields: Partial<typeof textRecord.$inferInsert> = {},
): typeof textRecord.$inferInsert => ({
  ...setFor(name),
  keyHash: keccak256(stringToBytes(key)),
  key: key.replaceAll("\0", "\u2400"),
  value,
  isValueKnown: true,
  setsInTransaction: 1,
  isRead: false,
  ...fields,
});

export const addressRow = (
  name: string,
  coinType: bigint | number,
  address: Hex | null,
  fields: Partial<typeof addressRecord.$inferInsert> = {},
): typeof addressRecord.$inferInsert => ({ ...setFor(name), coinType: BigInt(coinType), address, ...fields });

/** What a resolver has once for each name: the version of its records, a contenthash and a name. */
export const versionRow = (
  name: string,
  fields: Partial<typeof resolverNode.$inferInsert> = {},
): typeof resolverNode.$inferInsert => ({ ...setFor(name), ...fields });

/** A change of a name's owner. */
export const ownershipRow = (
  { block, log, tx }: Place,
  name: string,
  owner: Address | null,
  fields: Partial<typeof ownershipChange.$inferInsert> = {},
): typeof ownershipChange.$inferInsert => ({
  ...at(block, log, tx),
  ordinal: 0,
  node: namehash(name),
  ownerAddress: owner,
  eventType: "Transfer",
  ...fields,
});

/** A claim of a name at the reverse registrar. */
export const claimRow = (
  { block, log, tx }: Place,
  address: Address,
  name: string | null,
  fields: Partial<typeof primaryNameChange.$inferInsert> = {},
): typeof primaryNameChange.$inferInsert => ({
  ...at(block, log, tx),
  address,
  coinType: 60,
  name,
  isNameKnown: true,
  registrar: "REVERSE_REGISTRAR",
  ...fields,
});

/** The name of an address at the default reverse registrar. */
export const primaryNameRow = (
  address: Address,
  name: string | null,
  fields: Partial<typeof primaryName.$inferInsert> = {},
): typeof primaryName.$inferInsert => ({
  ...at(1),
  address,
  coinType: 0x80000000,
  name,
  isNameKnown: true,
  registrar: "DEFAULT_REVERSE_REGISTRAR",
  ...fields,
});

/** An address that has or had a name, with the block of the last event that says so. */
export const holderRow = (address: Address, name: string, block: number): typeof holder.$inferInsert => ({
  chainId: CHAIN_ID,
  address,
  node: namehash(name),
  lastOwnedBlockNumber: block,
  lastOwnedBlockTimestamp: at(block).blockTimestamp,
});
