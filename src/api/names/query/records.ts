import { addressRecord, event, resolverChange, resolverNode, textRecord } from "ponder:schema";
import { and, eq, sql } from "ponder";
import type { Address, Hex } from "viem";
import { keccak256 } from "../../../ens/keccak.ts";
import { exactText } from "../../../ens/storable.ts";
import type { Db } from "../../server/postgres/db.ts";
import { prepared } from "../../server/postgres/prepared.ts";
import { type Scope, statementOf } from "./scope.ts";

/** A node at one resolver, whose records are read. */
export type RecordsOf = { chainId: number; resolver: Address; node: Hex };

export type TextRow = typeof textRecord.$inferSelect;

/** A text record, as stored. */
export type TextValue = Pick<TextRow, "key" | "value" | "exact" | "isValueKnown">;

/** An address record; null if it was cleared. The coin type is a decimal string. */
type AddressValue = { coinType: string; address: Hex | null };

const { placeholder } = sql;

const isOfResolverNode = and(
  eq(resolverNode.chainId, placeholder("chainId")),
  eq(resolverNode.resolver, placeholder("resolver")),
  eq(resolverNode.node, placeholder("node")),
);

/** The version in force, as a subquery. At a resolver where nothing was ever cleared it is 0. */
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

/**
 * An owner can set any number of texts. At most this many bytes of them are read, plus one record, in the order of the answer. An
 * answer with all of these exceeds its own limit (`MAX_JSON_BYTES`) and is refused, so no answer is truncated.
 */
export const MAX_READ_BYTES = 4_194_304;

/** The minimum bytes of a text in an answer. `exact` is already JSON, with 17 characters around key and value. */
const textBytes = sql`coalesce(octet_length(${textRecord.exact}) - 17,
  octet_length(${textRecord.key}) + coalesce(octet_length(${textRecord.value}), 0))`;

/** Whether cleared records are read, too. */
const withCleared = sql`${placeholder("cleared")}::boolean`;

/** Texts with a value, or with a value that only the chain knows, sorted by key. */
const textsInForce = sql<TextValue[]>`array(
  select json_build_object('key', key, 'value', value, 'exact', exact, 'isValueKnown', is_value_known)
  from (
    select ${textRecord.key} as key, ${textRecord.keyHash} as key_hash, ${textRecord.value} as value,
      ${textRecord.exact} as exact, ${textRecord.isValueKnown} as is_value_known,
      sum(${textBytes}) over (order by ${textRecord.key}, ${textRecord.keyHash}) - ${textBytes} as bytes_before
    from ${textRecord}
    where ${isTextInForce} and (${textRecord.value} is not null or not ${textRecord.isValueKnown} or ${withCleared})
  ) as sized
  where bytes_before <= ${sql.raw(String(MAX_READ_BYTES))} order by key, key_hash)`;

/** An address; null if it was cleared. Resolvers return the zero address for a cleared EVM address. */
const shownAddress = sql`nullif(${addressRecord.address}, ${sql.raw(`'0x${"0".repeat(40)}'`)})`;

/** The minimum bytes of an address in an answer; of a cleared one, its coin type in quotes. */
const addressBytes = sql`coalesce(octet_length(${shownAddress}), 3)`;

/** Addresses, sorted by coin type. */
const addressesInForce = sql<AddressValue[]>`array(
  select json_build_object('coinType', coin_type::text, 'address', address)
  from (
    select ${addressRecord.coinType} as coin_type, ${shownAddress} as address,
      sum(${addressBytes}) over (order by ${addressRecord.coinType}) - ${addressBytes} as bytes_before
    from ${addressRecord} where ${isAddressInForce} and (${shownAddress} is not null or ${withCleared})
  ) as sized
  where bytes_before <= ${sql.raw(String(MAX_READ_BYTES))} order by coin_type)`;

/** All records in force. */
export type Records = {
  texts: TextValue[];
  addresses: AddressValue[];
  contenthash: Hex | null;
  /** The `name` record. */
  name: string | null;
};

/** All records in force, in one statement, with those that were set and cleared if `cleared` is true. */
export async function findRecords(db: Db, of: RecordsOf & { cleared: boolean }): Promise<Records> {
  const [row] = await recordsOf(db).execute(of);
  return row ?? { texts: [], addresses: [], contenthash: null, name: null };
}

const recordsOf = prepared((db) =>
  db
    .select({
      texts: textsInForce,
      addresses: addressesInForce,
      contenthash: resolverNode.contenthash,
      name: sql<string | null>`${resolverNode.name}`.mapWith(exactText<string | null>),
    })
    .from(sql`(values (true)) as one (row)`)
    .leftJoin(resolverNode, isOfResolverNode)
    .prepare("records"),
);

/** A text record in force, including a cleared one; null if the key was never set. */
export async function findText(db: Db, of: RecordsOf, key: string): Promise<TextRow | null> {
  const [row] = await textOf(db).execute({ ...of, keyHash: keccak256(key) });
  return row ?? null;
}

/** The event that cleared all records of a node. */
export type Clearing = { blockNumber: number; transactionHash: Hex };

/** The clearing of all records that ended a text; null if the key was never set before one. */
export async function findClearing(db: Db, of: RecordsOf, key: string): Promise<Clearing | null> {
  const [row] = await clearingOf(db).execute({ ...of, keyHash: keccak256(key) });
  return row ?? null;
}

/** Versions to search. Setting a text in many more versions costs a stranger more than checking each costs us. */
const MAX_VERSIONS = 1_000;

/** The last version in which the text was set. Each clearing increments the version. */
const lastVersionOfText = sql`(select version from generate_series(
    greatest(0, ${versionInForce} - ${sql.raw(String(MAX_VERSIONS))}), ${versionInForce} - 1) as version
  where exists (select from ${textRecord} where ${textRecord.chainId} = ${placeholder("chainId")}
    and ${textRecord.resolver} = ${placeholder("resolver")} and ${textRecord.node} = ${placeholder("node")}
    and ${textRecord.version} = version and ${textRecord.keyHash} = ${placeholder("keyHash")})
  order by version desc limit 1)`;

const clearingOf = prepared((db) =>
  db
    .select({ blockNumber: event.blockNumber, transactionHash: event.transactionHash })
    .from(event)
    .where(
      and(
        eq(event.chainId, placeholder("chainId")),
        eq(event.node, placeholder("node")),
        eq(event.contractAddress, placeholder("resolver")),
        sql`${event.eventType} in ('VersionChanged', 'Cleared')`,
        sql`${lastVersionOfText} is not null`,
      ),
    )
    .orderBy(event.blockNumber, event.logIndex)
    .limit(1)
    .offset(sql`${lastVersionOfText}` as unknown as number)
    .prepare("clearing_of_text"),
);

const textOf = prepared((db) =>
  db
    .select()
    .from(textRecord)
    .where(and(isTextInForce, eq(textRecord.keyHash, placeholder("keyHash"))))
    .prepare("text"),
);

/** The number of keys and coin types that fit into one call to the chain. The last ones set are used. */
const MAX_KNOWN_KEYS = 60;
const MAX_KNOWN_COINS = 20;

/** Text keys and coin types named in a node's events. */
export type KnownRecords = { keys: string[]; coinTypes: bigint[] };

/**
 * The keys and coin types ever set for each name, in the order of `names`, at any of its own resolvers. Other contracts are
 * ignored: anyone can emit events for a node.
 */
export async function listKnownRecords(
  db: Db,
  { chains, nodes }: { chains: Scope; nodes: readonly Hex[] },
): Promise<KnownRecords[]> {
  const [texts, coins] = await Promise.all([
    knownTexts(db, chains, { nodes }),
    knownCoins(db, chains, { nodes }),
  ]);
  const keysOf = new Map(texts.map(({ node, keys }) => [node, keys]));
  const coinsOf = new Map(coins.map(({ node, coinTypes }) => [node, coinTypes]));
  return nodes.map((node) => ({
    keys: keysOf.get(node) ?? [],
    coinTypes: (coinsOf.get(node) ?? []).map(BigInt),
  }));
}

const isOwnResolver = ({ chainId, resolver }: typeof textRecord | typeof addressRecord) =>
  sql`${resolver} in (select ${resolverChange.resolver} from ${resolverChange}
    where ${resolverChange.node} = wanted.node and ${resolverChange.chainId} = ${chainId})`;

const wantedNodes = sql`(select distinct node from unnest(${placeholder("nodes")}::text[]) as nodes (node)) as wanted`;

const knownTexts = statementOf((of, db) =>
  db
    .select({ node: sql<Hex>`wanted.node`, keys: sql<string[]>`known.keys` })
    .from(
      sql`${wantedNodes} cross join lateral (select array(
        select ${textRecord.key} from ${textRecord}
        where ${of.holds(textRecord.chainId)} and ${textRecord.node} = wanted.node and ${textRecord.exact} is null
          and ${isOwnResolver(textRecord)}
        group by ${textRecord.key} order by max(${textRecord.blockNumber}) desc, ${textRecord.key}
        limit ${sql.raw(String(MAX_KNOWN_KEYS))}) as keys) as known`,
    )
    .prepare(of.title("known_texts")),
);

const knownCoins = statementOf((of, db) =>
  db
    .select({ node: sql<Hex>`wanted.node`, coinTypes: sql<string[]>`known.coins` })
    .from(
      sql`${wantedNodes} cross join lateral (select array(
        select ${addressRecord.coinType}::text from ${addressRecord}
        where ${of.holds(addressRecord.chainId)} and ${addressRecord.node} = wanted.node
          and ${isOwnResolver(addressRecord)}
        group by ${addressRecord.coinType} order by max(${addressRecord.blockNumber}) desc, ${addressRecord.coinType}
        limit ${sql.raw(String(MAX_KNOWN_COINS))}) as coins) as known`,
    )
    .prepare(of.title("known_coins")),
);
