import { addressRecord, domain, primaryName, resolverNode } from "ponder:schema";
import { and, eq, inArray, sql } from "ponder";
import type { Address, Hex } from "viem";
import { DEFAULT_COIN_TYPE, ETHEREUM_COIN_TYPE } from "../../ens/coinType.ts";
import type { Db } from "../postgres/db.ts";
import { prepared } from "../postgres/prepared.ts";
import { beginningOf } from "./beginnings.ts";
import { isAtResolver, isOneOfNodes } from "./domains.ts";

const { placeholder } = sql;

/**
 * A reverse node in the index: its resolver, and the beginning of the `name` record there. A name of which this is not the
 * whole has more than 1,024 characters: it is no valid name, and its beginning is none.
 */
export type ReverseRow = { node: Hex; resolver: Address | null; name: string | null };

/**
 * The `name` records of reverse nodes at their current resolvers. They are found by node and not by address, because
 * the index does not know the address of every reverse node; the caller does.
 */
export async function listReverseNames(
  db: Db,
  { chainId, nodes }: { chainId: number; nodes: readonly Hex[] },
): Promise<ReverseRow[]> {
  return nodes.length === 0 ? [] : reverseNames(db).execute({ chainId, nodes });
}

/** The names that addresses set at the default reverse registrar. */
export async function listDefaultNames(
  db: Db,
  addresses: readonly Address[],
): Promise<{ address: Address; name: string | null }[]> {
  return addresses.length === 0 ? [] : defaultNames(db).execute({ addresses });
}

const defaultNames = prepared((db) =>
  db
    .select({ address: primaryName.address, name: beginningOf(primaryName.name) })
    .from(primaryName)
    .where(
      and(
        sql`${primaryName.address} = any(${placeholder("addresses")}::text[])`,
        eq(primaryName.coinType, Number(DEFAULT_COIN_TYPE)),
      ),
    )
    .prepare("default_names"),
);

/** An address record in force: at the node's current resolver, in the node's current version there. */
export type AddressRow = { node: Hex; coinType: bigint; address: Hex | null };

/** The records of nodes that decide their address on Ethereum. */
export async function listEthereumAddresses(
  db: Db,
  { chainId, nodes }: { chainId: number; nodes: readonly Hex[] },
): Promise<AddressRow[]> {
  return nodes.length === 0 ? [] : ethereumAddresses(db).execute({ chainId, nodes });
}

const reverseNames = prepared((db) =>
  db
    .select({ node: domain.node, resolver: domain.resolver, name: beginningOf(resolverNode.name) })
    .from(domain)
    .leftJoin(resolverNode, isAtResolver)
    .where(isOneOfNodes)
    .prepare("reverse_names"),
);

const ethereumAddresses = prepared((db) =>
  db
    .select({ node: domain.node, coinType: addressRecord.coinType, address: addressRecord.address })
    .from(domain)
    .leftJoin(resolverNode, isAtResolver)
    .innerJoin(
      addressRecord,
      and(
        eq(addressRecord.chainId, domain.chainId),
        eq(addressRecord.resolver, domain.resolver),
        eq(addressRecord.node, domain.node),
        eq(addressRecord.version, sql`coalesce(${resolverNode.version}, 0)`),
        inArray(addressRecord.coinType, [ETHEREUM_COIN_TYPE, DEFAULT_COIN_TYPE]),
      ),
    )
    .where(isOneOfNodes)
    .prepare("ethereum_addresses"),
);

/** The same of records at resolvers of ENSv2; `node` is a record's number. */
export async function listAddressesAt(
  db: Db,
  { chainId, records }: { chainId: number; records: readonly { resolver: Address; node: Hex }[] },
): Promise<(AddressRow & { resolver: Address })[]> {
  if (records.length === 0) return [];
  return addressesAt(db).execute({
    chainId,
    resolvers: records.map(({ resolver }) => resolver),
    nodes: records.map(({ node }) => node),
  });
}

const addressesAt = prepared((db) =>
  db
    .select({
      resolver: addressRecord.resolver,
      node: addressRecord.node,
      coinType: addressRecord.coinType,
      address: addressRecord.address,
    })
    .from(addressRecord)
    .leftJoin(
      resolverNode,
      and(
        eq(resolverNode.chainId, addressRecord.chainId),
        eq(resolverNode.resolver, addressRecord.resolver),
        eq(resolverNode.node, addressRecord.node),
      ),
    )
    .where(
      and(
        eq(addressRecord.chainId, placeholder("chainId")),
        sql`(${addressRecord.resolver}, ${addressRecord.node})
          in (select * from unnest(${placeholder("resolvers")}::text[], ${placeholder("nodes")}::text[]))`,
        eq(addressRecord.version, sql`coalesce(${resolverNode.version}, 0)`),
        inArray(addressRecord.coinType, [ETHEREUM_COIN_TYPE, DEFAULT_COIN_TYPE]),
      ),
    )
    .prepare("addresses_at"),
);
