import { addressRecord, resolverNode, textRecord } from "ponder:schema";
import type { SQL } from "drizzle-orm";
import { sql } from "ponder";
import type { Hex } from "viem";
import { DEFAULT_COIN_TYPE } from "../../../ens/coinType.ts";
import { keccak256 } from "../../../ens/keccak.ts";
import { exactText } from "../../../ens/storable.ts";
import type { Db } from "../../server/postgres/db.ts";
import { prepared } from "../../server/postgres/prepared.ts";
import type { RecordsOf, TextValue } from "./records.ts";
import { isOfChainSql } from "./resolvesTo.ts";

/**
 * Reads the records of many names in one statement. For one name it takes 3 to 4 ms, mostly to plan its arrays, while
 * `findRecords` of `records.ts` takes 0.7 ms. So `/records` has its own statement.
 */

/** A name in a batch, and where to continue if an earlier answer had no room for all of its records. */
export type RecordsWanted = RecordsOf & {
  /** The hash of the last key returned; empty at the start; null if no texts are left. */
  textsAfter: Hex | "" | null;
  /** The last coin type returned; null if no addresses are left. */
  addressesAfter: string | null;
  /** Whether the resolver returns the default address for chains without a record (ENSIP-19). */
  hasDefault: boolean;
};

/** Below every coin type. */
export const FIRST_COIN = "-1";

/** The texts or addresses to read: all, or those with these keys or coin types. */
export type Chosen = "all" | readonly string[];

/** The records to read for each name. */
export type RecordsChoice = { texts: Chosen; addresses: Chosen };

/** A text in force. A known null value means it was cleared. */
export type BatchText = TextValue & { keyHash: Hex };

/** An address in force; null if it was cleared. If there is no record, `default` is what the resolver returns instead. */
export type BatchAddress = { coinType: string; address: Hex | null; isSet: boolean; default: Hex | null };

/** The records in force of one name. `more` is true if they exceed the limit for a name or for the batch. */
export type BatchRecords = {
  texts: BatchText[];
  addresses: BatchAddress[];
  contenthash: Hex | null;
  name: string | null;
  more: { texts: boolean; addresses: boolean };
};

/** The maximum number of texts, and of addresses, per name in an answer about many names. Profiles have some dozens. */
export const MAX_OF_NAME = 200;

/** Names per statement. More would hold a connection and the event loop for too long. */
export const NAMES_OF_STATEMENT = 250;

/** Clearing an EVM address sets the zero address. */
const ZERO_ADDRESS = `0x${"0".repeat(40)}`;

const { placeholder } = sql;

const wanted = sql`wanted as materialized (
  select wanted.*, coalesce(${resolverNode.version}, 0) as version,
    ${resolverNode.contenthash} as contenthash, ${resolverNode.name} as name
  from unnest(${placeholder("chainIds")}::int[], ${placeholder("resolvers")}::text[], ${placeholder("nodes")}::text[],
      ${placeholder("textsAfter")}::text[], ${placeholder("addressesAfter")}::numeric[], ${placeholder("hasDefault")}::bool[])
    with ordinality as wanted (chain_id, resolver, node, texts_after, addresses_after, has_default, position)
  left join ${resolverNode} on ${resolverNode.chainId} = wanted.chain_id and ${resolverNode.resolver} = wanted.resolver
    and ${resolverNode.node} = wanted.node)`;

/** The records of one name in the order of their key's index, which stops at the limit. */
const ofWanted = (table: typeof textRecord | typeof addressRecord) =>
  sql`${table.chainId} = wanted.chain_id and ${table.resolver} = wanted.resolver and ${table.node} = wanted.node
    and ${table.version} = wanted.version`;

const oneMore = sql.raw(String(MAX_OF_NAME + 1));

/** Bytes of a record in an answer besides its key and value. */
const AROUND = sql.raw("8");

type Form = "all" | "chosen";

/** Selected keys are looked up one by one, so a name with very many records costs no more than others. */
const textsOf = (form: Form): SQL => sql`select ${textRecord.keyHash} as key_hash, ${textRecord.key} as key,
    ${textRecord.value} as value, ${textRecord.exact} as exact, ${textRecord.isValueKnown} as is_known,
    coalesce(octet_length(${textRecord.exact}), octet_length(${textRecord.key}) + coalesce(octet_length(${textRecord.value}), 0))
      + ${AROUND} as bytes
  from ${form === "chosen" ? sql`unnest(${placeholder("keyHashes")}::text[]) as chosen (key_hash) join` : sql``} ${textRecord}
    ${form === "chosen" ? sql`on ${textRecord.keyHash} = chosen.key_hash and` : sql`where`} ${ofWanted(textRecord)}
    and ${textRecord.keyHash} > wanted.texts_after
  order by ${textRecord.keyHash} limit ${oneMore}`;

const stored = sql`${addressRecord.coinType} as coin_type, ${addressRecord.address} as address,
    coalesce(octet_length(${addressRecord.address}), 0) + 24 as bytes`;

const allAddresses = sql`select ${stored}, true as is_set, null as default_address
  from ${addressRecord} where ${ofWanted(addressRecord)} and ${addressRecord.coinType} > wanted.addresses_after
  order by ${addressRecord.coinType} limit ${oneMore}`;

/** Includes the default address, where the resolver returns it, for chains without bytes of their own. */
const chosenAddresses = sql`select chosen.coin_type, own.address, own.coin_type is not null as is_set,
    by_default.address as default_address,
    coalesce(octet_length(own.address), 0) + coalesce(octet_length(by_default.address), 0) + 24 as bytes
  from unnest(${placeholder("coinTypes")}::numeric[]) as chosen (coin_type)
    left join lateral (select ${stored} from ${addressRecord}
      where ${ofWanted(addressRecord)} and ${addressRecord.coinType} = chosen.coin_type) as own on true
    left join lateral (select ${stored} from ${addressRecord} where ${ofWanted(addressRecord)}
      and ${addressRecord.coinType} = ${sql.raw(String(DEFAULT_COIN_TYPE))} and wanted.has_default
      and own.address is null and ${isOfChainSql(sql`chosen.coin_type`)}) as by_default on true
  where chosen.coin_type > wanted.addresses_after and coalesce(own.coin_type, by_default.coin_type) is not null
  order by chosen.coin_type limit ${oneMore}`;

/** The maximum bytes of texts, and of addresses, per name. JSON can turn one byte into six, and an answer has room for that. */
export const MAX_BYTES_OF_NAME = 524_288;

/** Rows of all names in order, up to the byte limits of the name and of the statement, as one list per name. */
const bounded = (
  { from, order, item, bytes }: { from: SQL; order: SQL; item: SQL; bytes: SQL },
  name: "texts" | "addresses",
) => sql`${sql.raw(name)} as (
  select position, json_agg(${item} order by ${order}) filter (
    where upto <= ${bytes} and upto_of_name <= ${sql.raw(String(MAX_BYTES_OF_NAME))}) as list, count(*)::int as found
  from (select wanted.position, record.*, sum(record.bytes) over (order by wanted.position, ${order}) as upto,
      sum(record.bytes) over (partition by wanted.position order by ${order}) as upto_of_name
    from wanted cross join lateral (${from}) as record) as sized group by position)`;

const statements = new Map<string, ReturnType<typeof prepare>>();

const prepare = (texts: Form, addresses: Form) =>
  prepared((db: Db) => {
    const textList = {
      from: textsOf(texts),
      order: sql`key_hash`,
      item: sql`json_build_array(key_hash, key, value, exact, is_known)`,
      bytes: sql`${placeholder("bytes")}::int`,
    };
    const addressList = {
      from: addresses === "all" ? allAddresses : chosenAddresses,
      order: sql`coin_type`,
      item: sql`json_build_array(coin_type::text, address, is_set, default_address)`,
      bytes: sql`${placeholder("bytes")}::int`,
    };
    const parts = [wanted, bounded(textList, "texts"), bounded(addressList, "addresses")];
    return db
      .select({
        position: sql<number>`found.position`.mapWith(Number),
        texts: sql<[Hex, string, string | null, string | null, boolean][] | null>`found.texts`,
        textCount: sql<number>`found.text_count`,
        addresses: sql<[string, Hex | null, boolean, Hex | null][] | null>`found.addresses`,
        addressCount: sql<number>`found.address_count`,
        contenthash: sql<Hex | null>`found.contenthash`,
        name: sql<string | null>`found.name`.mapWith(exactText<string | null>),
      })
      .from(
        sql`(with ${sql.join(parts, sql`, `)}
        select wanted.position, texts.list as texts, coalesce(texts.found, 0) as text_count,
          addresses.list as addresses, coalesce(addresses.found, 0) as address_count, wanted.contenthash, wanted.name
        from wanted left join texts on texts.position = wanted.position
          left join addresses on addresses.position = wanted.position) as found`,
      )
      .orderBy(sql`found.position`)
      .prepare(`many_records_${texts}_${addresses}`);
  });

const formOf = (chosen: Chosen): Form => (chosen === "all" ? "all" : "chosen");

/**
 * Records in force of many names, in the order of the names, in one statement. They include cleared records, and texts whose
 * value only the chain knows. Each name has at most `MAX_OF_NAME` texts and as many addresses, and the result at most `bytes`.
 */
export async function listRecords(
  db: Db,
  names: readonly RecordsWanted[],
  { texts, addresses, bytes }: RecordsChoice & { bytes: number },
): Promise<BatchRecords[]> {
  if (names.length === 0) return [];
  const title = `${formOf(texts)} ${formOf(addresses)}`;
  const statement = statements.get(title) ?? prepare(formOf(texts), formOf(addresses));
  statements.set(title, statement);
  const rows = await statement(db).execute({
    bytes,
    chainIds: names.map(({ chainId }) => chainId),
    resolvers: names.map(({ resolver }) => resolver),
    nodes: names.map(({ node }) => node),
    textsAfter: names.map(({ textsAfter }) => textsAfter ?? NO_KEY),
    addressesAfter: names.map(({ addressesAfter }) => addressesAfter ?? NO_COIN),
    hasDefault: names.map(({ hasDefault }) => hasDefault),
    keyHashes: texts === "all" ? [] : [...new Set(texts.map((key) => keccak256(key)))],
    coinTypes: addresses === "all" ? [] : [...new Set(addresses)],
  });
  return rows.map((row) => toRecords(row));
}

/** Above every key hash. */
const NO_KEY = "1";
/** Above every coin type. */
const NO_COIN = (2n ** 256n).toString();

type Row = Awaited<ReturnType<ReturnType<ReturnType<typeof prepare>>["execute"]>>[number];

function toRecords({ texts, textCount, addresses, addressCount, contenthash, name }: Row): BatchRecords {
  const givenTexts = (texts ?? []).slice(0, MAX_OF_NAME);
  const givenAddresses = (addresses ?? []).slice(0, MAX_OF_NAME);
  return {
    texts: givenTexts.map(([keyHash, key, value, exact, isValueKnown]) => ({
      keyHash,
      key,
      value,
      exact,
      isValueKnown,
    })),
    addresses: givenAddresses.map(([coinType, address, isSet, byDefault]) => ({
      coinType,
      isSet,
      address: address === ZERO_ADDRESS ? null : address,
      default: byDefault === ZERO_ADDRESS ? null : byDefault,
    })),
    contenthash,
    name,
    more: { texts: textCount > givenTexts.length, addresses: addressCount > givenAddresses.length },
  };
}
