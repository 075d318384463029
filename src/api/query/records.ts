import { addressRecord, resolverChange, resolverNode, textRecord } from "ponder:schema";
import { and, asc, desc, eq, inArray, isNull, max, sql } from "ponder";
import type { Address, Hex } from "viem";
import { keccak256 } from "../../ens/keccak.ts";
import { type Chains, isOfChains } from "./chains.ts";
import type { Db } from "./db.ts";
import { prepared } from "./prepared.ts";

/** The records of a node at one resolver. */
export type RecordsOf = { chainId: number; resolver: Address; node: Hex };

export type TextRow = typeof textRecord.$inferSelect;

/** A text record, as stored. */
export type TextValue = Pick<TextRow, "key" | "value" | "exact" | "isValueKnown">;

/** An address record; the coin type is in decimal digits. */
export type AddressValue = { coinType: string; address: Hex };

const { placeholder } = sql;

const isOfResolverNode = and(
  eq(resolverNode.chainId, placeholder("chainId")),
  eq(resolverNode.resolver, placeholder("resolver")),
  eq(resolverNode.node, placeholder("node")),
);

/** The version in force, as a subquery: a resolver where nothing was ever cleared is at version 0. */
const versionInForce = sql`coalesce((select ${resolverNode.version} from ${resolverNode} where ${isOfResolverNode}), 0)`;

const isTextInForce = and(
  eq(textRecord.chainId, placeholder("chainId")),
  eq(textRecord.resolver, placeholder("resolver")),
  eq(textRecord.node, placeholder("node")),
  eq(textRecord.version, versionInForce),
);

const isAddressInForce = and(
  eq(addressRecord.chainId, placeholder("chainId")),
  eq(addressRecord.resolver, placeholder("resolver")),
  eq(addressRecord.node, placeholder("node")),
  eq(addressRecord.version, versionInForce),
);

/** Texts that have a value, or a value that only the chain knows, by key. */
const textsInForce = sql<TextValue[]>`array(
  select json_build_object('key', ${textRecord.key}, 'value', ${textRecord.value}, 'exact', ${textRecord.exact},
    'isValueKnown', ${textRecord.isValueKnown})
  from ${textRecord} where ${isTextInForce} and (${textRecord.value} is not null or not ${textRecord.isValueKnown})
  order by ${textRecord.key}, ${textRecord.keyHash})`;

/** Addresses that were not cleared, by coin type. */
const addressesInForce = sql<AddressValue[]>`array(
  select json_build_object('coinType', ${addressRecord.coinType}::text, 'address', ${addressRecord.address})
  from ${addressRecord} where ${isAddressInForce} and ${addressRecord.address} is not null
  order by ${addressRecord.coinType})`;

/** All records in force. */
export type Records = { texts: TextValue[]; addresses: AddressValue[]; contenthash: Hex | null };

/** All records in force, by one statement. */
export async function findRecords(db: Db, of: RecordsOf): Promise<Records> {
  const [row] = await recordsOf(db).execute(of);
  return row ?? { texts: [], addresses: [], contenthash: null };
}

const recordsOf = prepared((db) =>
  db
    .select({
      texts: textsInForce,
      addresses: addressesInForce,
      contenthash: resolverNode.contenthash,
    })
    .from(sql`(values (true)) as one (row)`)
    .leftJoin(resolverNode, isOfResolverNode)
    .prepare("records"),
);

/** A text record in force, also a cleared one; null if the key was never set. */
export async function findText(db: Db, of: RecordsOf, key: string): Promise<TextRow | null> {
  const [row] = await textOf(db).execute({ ...of, keyHash: keccak256(key) });
  return row ?? null;
}

const textOf = prepared((db) =>
  db
    .select()
    .from(textRecord)
    .where(and(isTextInForce, eq(textRecord.keyHash, placeholder("keyHash"))))
    .prepare("text"),
);

/** As many keys and coin types as fit into one call to the chain: those set last. */
const MAX_KNOWN_KEYS = 60;
const MAX_KNOWN_COINS = 20;

/** Resolvers that a name ever had: any other contract can emit events for its node. */
const isOwnResolver = (column: typeof textRecord.resolver | typeof addressRecord.resolver, node: Hex) =>
  inArray(
    column,
    sql`(select ${resolverChange.resolver} from ${resolverChange} where ${resolverChange.node} = ${node})`,
  );

/** Keys of texts and coin types of addresses that were ever set for a name at one of its own resolvers. */
export async function listKnownRecords(db: Db, { chains, node }: { chains: Chains; node: Hex }) {
  const [texts, coins] = await Promise.all([
    db
      .select({ key: textRecord.key })
      .from(textRecord)
      .where(
        and(
          isOfChains(textRecord.chainId, chains),
          eq(textRecord.node, node),
          isNull(textRecord.exact),
          isOwnResolver(textRecord.resolver, node),
        ),
      )
      .groupBy(textRecord.key)
      .orderBy(desc(max(textRecord.blockNumber)), asc(textRecord.key))
      .limit(MAX_KNOWN_KEYS),
    db
      .select({ coinType: addressRecord.coinType })
      .from(addressRecord)
      .where(
        and(
          isOfChains(addressRecord.chainId, chains),
          eq(addressRecord.node, node),
          isOwnResolver(addressRecord.resolver, node),
        ),
      )
      .groupBy(addressRecord.coinType)
      .orderBy(desc(max(addressRecord.blockNumber)), asc(addressRecord.coinType))
      .limit(MAX_KNOWN_COINS),
  ]);
  return { keys: texts.map(({ key }) => key), coinTypes: coins.map(({ coinType }) => coinType) };
}
