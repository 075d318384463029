import { addressRecord, domain, primaryName, resolverNode, textRecord } from "ponder:schema";
import { and, eq, inArray, sql } from "ponder";
import type { Address, Hex } from "viem";
import { keccak256 } from "../../../ens/keccak.ts";
import type { Db } from "../../server/postgres/db.ts";
import { prepared } from "../../server/postgres/prepared.ts";
import { beginningOfStored } from "./beginnings.ts";
import { isAtCurrentResolver, isInForce, isNodeOf } from "./currentRecords.ts";
import { onNodes } from "./domains.ts";
import type { RecordsOf } from "./records.ts";

/**
 * A reverse node in the index: its resolver, and the beginning of its `name` record. A name longer than that beginning has over
 * 1,024 characters. It is not a valid name, and neither is its beginning.
 */
export type ReverseRow = { node: Hex; resolver: Address | null; name: string | null };

/**
 * The `name` records of reverse nodes at their current resolvers. They are found by node, because the index does not know the
 * address of every reverse node, but the caller does.
 */
export async function listReverseNames(
  db: Db,
  { chainId, nodes }: { chainId: number; nodes: readonly Hex[] },
): Promise<ReverseRow[]> {
  return nodes.length === 0 ? [] : reverseNames(db).execute({ chainId, nodes });
}

/** A name set by an address, by coin type. */
export type SetName = Awaited<ReturnType<typeof listSetNames>>[number];

/** The names that addresses set for coin types at the reverse registrars of chains, and at the default one. */
export async function listSetNames(
  db: Db,
  { addresses, coinTypes }: { addresses: readonly Address[]; coinTypes: readonly bigint[] },
) {
  if (addresses.length === 0 || coinTypes.length === 0) return [];
  return db
    .select({
      address: primaryName.address,
      coinType: primaryName.coinType,
      name: beginningOfStored(primaryName.name),
      isNameKnown: primaryName.isNameKnown,
    })
    .from(primaryName)
    .where(
      and(inArray(primaryName.address, [...addresses]), inArray(primaryName.coinType, coinTypes.map(Number))),
    );
}

const reverseNames = prepared((db) =>
  onNodes((isAsked, form) =>
    db
      .select({ node: domain.node, resolver: domain.resolver, name: beginningOfStored(resolverNode.name) })
      .from(domain)
      .leftJoin(resolverNode, isNodeOf(domain))
      .where(isAsked)
      .prepare(`reverse_names_${form}`),
  ),
);

/**
 * Returns the given names, on any chain, that have a text with this key at their current resolver, including texts whose value
 * only the chain knows. ENSv2 names are not included, because their records are stored elsewhere.
 */
export async function listNodesWithText(
  db: Db,
  { nodes, key }: { nodes: readonly Hex[]; key: string },
): Promise<Hex[]> {
  if (nodes.length === 0) return [];
  const rows = await db
    .select({ node: domain.node })
    .from(textRecord)
    .innerJoin(domain, isAtCurrentResolver(textRecord))
    .leftJoin(resolverNode, isNodeOf(domain))
    .where(
      and(
        inArray(textRecord.node, [...nodes]),
        eq(textRecord.keyHash, keccak256(key)),
        isInForce(textRecord),
        sql`(${textRecord.value} <> '' or not ${textRecord.isValueKnown})`,
      ),
    );
  return rows.map(({ node }) => node);
}

/** An address record in force at a resolver. */
export type AddressRow = RecordsOf & { coinType: bigint; address: Hex | null };

/** Address records of some coin types. ENSv2 names store theirs under a number instead of their node. */
export async function listAddresses(
  db: Db,
  records: readonly RecordsOf[],
  coinTypes: readonly bigint[],
): Promise<AddressRow[]> {
  if (records.length === 0 || coinTypes.length === 0) return [];
  return db
    .select({
      chainId: addressRecord.chainId,
      resolver: addressRecord.resolver,
      node: addressRecord.node,
      coinType: addressRecord.coinType,
      address: addressRecord.address,
    })
    .from(addressRecord)
    .leftJoin(resolverNode, isNodeOf(addressRecord))
    .where(
      and(
        sql`(${addressRecord.chainId}, ${addressRecord.resolver}, ${addressRecord.node}) in (select * from unnest(
          ${sql.param(records.map(({ chainId }) => chainId))}::int[],
          ${sql.param(records.map(({ resolver }) => resolver))}::text[],
          ${sql.param(records.map(({ node }) => node))}::text[]))`,
        isInForce(addressRecord),
        inArray(addressRecord.coinType, [...coinTypes]),
      ),
    );
}
