import type { EventNames } from "ponder:registry";
import type { Address, Hex } from "viem";
import { managedNameOf } from "../ens/managedNames.ts";
import { ADDR_REVERSE_NODE, isLabelOf } from "../ens/name.ts";

// Every log has its transaction's hash. The rest of the transaction costs one request, and few handlers need it.

type Log = { address: Address; topics: readonly (Hex | null)[]; data: Hex };
/** The log's chain, and the configured addresses of an entry. */
type Chain = { id: number; addressesOf: (entry: "ListedResolver") => readonly Address[] };
export type Need = (log: Log, chain: Chain) => boolean;

/**
 * Reverse registrars before 2023 emit no event with the address whose node they create. If the new owner (the last word of the data)
 * is not that address, the sender may be.
 */
const isReverseNode: Need = ({ topics: [, parent, labelhash], data }, { id }) =>
  parent === ADDR_REVERSE_NODE &&
  managedNameOf(id) === undefined &&
  !isLabelOf(labelhash as Hex, data.slice(-40));

/** The text's value is in the call. Only listed resolvers certainly store what they log. */
const isOfListedResolver: Need = ({ address }, { addressesOf }) =>
  addressesOf("ListedResolver").includes(address);

const textWithoutValue = "TextChanged(bytes32 indexed node, string indexed indexedKey, string key)";

/** The events whose handlers need more than a transaction's hash, and for which of their logs. */
export const neededTransactions = {
  "Registry:NewOwner": isReverseNode,
  "RegistryOld:NewOwner": isReverseNode,
  [`Resolver:${textWithoutValue}`]: isOfListedResolver,
  [`FoundResolver:${textWithoutValue}`]: isOfListedResolver,
  "ResolverUnindexedKey:TextChanged": (log, chain) =>
    hasOldestShape(log.topics) && isOfListedResolver(log, chain),
} as const satisfies Partial<Record<EventNames, Need>>;

/**
 * Whether a log of a text without its value has the shape of the first resolvers. If its key has 32 bytes or none, a log of the
 * later shape, with three topics, also decodes as that one with two.
 */
export const hasOldestShape = (topics: Log["topics"]): boolean => topics.filter(Boolean).length === 2;

// The backfill reads the same table (engine/backfill/neededTransactions.ts).
Object.assign(globalThis, { namedexNeededTransactions: neededTransactions });
