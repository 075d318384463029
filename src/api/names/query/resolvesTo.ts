import { addressRecord, domain, ensv2Link, ensv2Proxy, resolverNode } from "ponder:schema";
import type { SQL } from "drizzle-orm";
import { and, eq, sql } from "ponder";
import type { Address, Hex } from "viem";
import type { Contracts } from "../../../../abis/contracts.ts";
import { DEFAULT_COIN_TYPE, ETHEREUM_COIN_TYPE } from "../../../ens/coinType.ts";
import { ROOT_NODE } from "../../../ens/name.ts";
import type { Db } from "../../server/postgres/db.ts";
import { toSql } from "../rules/conditionSql.ts";
import { isCounted } from "../rules/nameRules.ts";
import { type Keyset, orderBy, type Position, positionOf, rowsAfter } from "./keyset.ts";
import { readList } from "./list.ts";
import { MAX_COUNTED, type Page, type Part } from "./page.ts";
import type { Scope } from "./scope.ts";

/** Which coin types count: one, those of all EVM chains, or any. */
export type CoinFilter = bigint | "evm" | "any";

/** An address, for which coin types, on which chains. */
export type ResolvesTo = {
  chains: Scope;
  address: Address;
  coins: CoinFilter;
  contracts: Pick<Contracts, "chainId" | "chainIds" | "resolversOf" | "ensv2">;
  now: number;
};

/** A name whose record is the address, as the rows say: the record is at the name's node, or has a number. */
export type Pointing = {
  chainId: number;
  node: Hex;
  resolver: Address;
  record: Hex;
  /** Coin types of the records that are the address. */
  coinTypes: string[];
};

/** The order of the names: that of an index, so that a page reads no more than itself. */
export const pointingKeys: Keyset = [
  { column: sql`found.node`, kind: "hash", direction: "asc" },
  { column: sql`found.chain_id`, kind: "integer", direction: "asc" },
  { column: sql`found.resolver`, kind: "address", direction: "asc" },
];

/** A page of the names that have this address, by their rows, with their number: at most one more than `countTo`. */
export const listPointing = (
  db: Db,
  asked: ResolvesTo,
  part: Part,
  countTo = MAX_COUNTED,
): Promise<Page<Pointing>> =>
  readList(part, {
    keys: pointingKeys,
    read: ({ where, order, limit, offset }) =>
      readPointing(
        db,
        foundOf(asked, { after: part.after, most: limit + offset }),
        sql`where ${where ?? sql`true`} order by ${sql.join(order, sql`, `)} limit ${limit} offset ${offset}`,
      ),
    count: () => countPointing(db, asked, countTo),
  });

/** The first names, in their order. */
export const listFirstPointing = (db: Db, asked: ResolvesTo, most: number): Promise<Pointing[]> =>
  readPointing(
    db,
    foundOf(asked, { most }),
    sql`order by ${sql.join(orderBy(pointingKeys), sql`, `)} limit ${most}`,
  );

type Row = Pointing & { position: Position };

async function readPointing(db: Db, { matches, found }: FoundSql, which: SQL): Promise<Row[]> {
  const { rows } = await db.execute<Row>(sql`
    ${matches} select found.chain_id as "chainId", found.node, found.resolver, found.record,
      found.coin_types as "coinTypes", ${positionOf(pointingKeys).sql} as position
    from (${found}) as found ${which}`);
  return rows;
}

async function countPointing(db: Db, asked: ResolvesTo, countTo: number): Promise<number> {
  const most = countTo + 1;
  const { matches, found } = foundOf(asked, { most });
  const { rows } = await db.execute<{ total: number }>(
    sql`${matches} select count(*)::int as total from (select from (${found}) as found limit ${most}) as counted`,
  );
  return rows[0]?.total ?? 0;
}

const { address, chainId, coinType, node, resolver, version } = addressRecord;

/** The length of an address in an index: the longest that a chain has are shorter. */
const beginning = (of: SQL): SQL => sql`left(${of}, 130)`;

/**
 * The index finds the beginning. To the planner the whole is a second condition, which few of the found would meet, so that it
 * would sort them all: in `case` it says nothing.
 */
const isOfAddress = (sought: Address): SQL =>
  sql`${beginning(sql`${address}`)} = ${beginning(sql`${sought}::text`)}
    and case when ${address} = ${sought} then true else false end`;

/**
 * A record in the version in force. Here and below `offset 0` has the one row of each record looked up: the planner takes few
 * records for those in force, and would rather find and sort all than read them in the order of the index until a page is full.
 */
const versions = sql`left join lateral (select ${resolverNode.version} as version from ${resolverNode}
  where ${resolverNode.chainId} = ${chainId} and ${resolverNode.resolver} = ${resolver} and ${resolverNode.node} = ${node}
  offset 0) as in_force on true`;
const isInForce = sql`case when ${version} = coalesce(in_force.version, 0) then true else false end`;

const list = (addresses: readonly string[]): SQL =>
  sql`array[${sql.join(
    addresses.map((one) => sql`${one}`),
    sql`, `,
  )}]::text[]`;

/** How many names are needed, in the order of the list, and after which position. */
type First = { after?: Position | undefined; most: number };

/** The order of the names, by the columns of their records. */
const recordKeys: Keyset = pointingKeys.map((key, i) => ({
  ...key,
  column: [sql`${node}`, sql`${chainId}`, sql`${resolver}`][i] as SQL,
}));

/**
 * Names of ENSv1, and those of ENSv2 at a resolver that keeps records by node, in the order of the index: the first of them alone,
 * so that no more records are read.
 */
function byNode({ chains, address: sought, coins, contracts, now }: ResolvesTo, { after, most }: First): SQL {
  const isAtIndexed = sql.join(
    chains.ids.map(
      (id) => sql`(${chainId} = ${id} and ${resolver} = any(${list(contracts.resolversOf(id).indexed)}))`,
    ),
    sql` or `,
  );
  const isLive = sql`(${domain.registry} is null or (${domain.expiryTimestamp} > ${now}
    and coalesce(${domain.pathExpiryTimestamp} > ${now}, true)))`;
  return sql`select ${chainId} as chain_id, ${node} as node, ${resolver} as resolver, ${node} as record,
      array_agg(${coinType}::text order by ${coinType}) as coin_types
    from ${addressRecord} cross join lateral (select from ${domain} where ${domain.chainId} = ${chainId}
      and ${domain.node} = ${node} and ${domain.resolver} = ${resolver} and ${isLive} and ${toSql(isCounted)}
      offset 0) as named ${versions}
    where ${isOfAddress(sought)} and ${isInForce} and (${isAtIndexed})
      and ${after ? rowsAfter(recordKeys, after) : sql`true`}
    group by ${node}, ${chainId}, ${resolver} having ${isWanted(coins, withDefaultOf(chains, contracts))}
    order by ${sql.join(orderBy(recordKeys), sql`, `)} limit ${most}`;
}

/** Whether a resolver answers the default address for a chain without a record. */
const withDefaultOf = (chains: Scope, { resolversOf }: ResolvesTo["contracts"]): SQL =>
  sql.join(
    chains.ids.map(
      (id) => sql`(${chainId} = ${id} and ${resolver} = any(${list(resolversOf(id).withDefault)}))`,
    ),
    sql` or `,
  );

/**
 * Whether the coin types of a name's records meet the filter. The default record answers for the chains without an own one.
 * Source: ENSIP-19; ens-contracts, contracts/resolvers/profiles/AddrResolver.sol.
 */
function isWanted(coins: CoinFilter, hasDefault: SQL): SQL {
  if (coins === "any") return sql`true`;
  const isEvm = sql`${coinType} = ${ETHEREUM_COIN_TYPE}::numeric or ${coinType} >= ${DEFAULT_COIN_TYPE}::numeric`;
  if (coins === "evm") return sql`bool_or(${isEvm})`;
  const own = sql`bool_or(${coinType} = ${coins}::numeric)`;
  if (!isOfChain(coins)) return own;
  return sql`(${own} or (bool_or(${coinType} = ${DEFAULT_COIN_TYPE}::numeric) and (${hasDefault}) and not exists (
    select from ${addressRecord} as own where own.chain_id = ${chainId} and own.resolver = ${resolver}
      and own.node = ${node} and own.version = min(${version}) and own.coin_type = ${coins}::numeric
      and own.address is not null)))`;
}

/** Coin types for which a resolver answers the default address. */
export const isOfChain = (coin: bigint): boolean =>
  coin === ETHEREUM_COIN_TYPE || (coin > DEFAULT_COIN_TYPE && coin < 2n * DEFAULT_COIN_TYPE);

/** The same in SQL. */
export const isOfChainSql = (coin: SQL): SQL =>
  sql`(${coin} = ${sql.raw(String(ETHEREUM_COIN_TYPE))} or (${coin} > ${sql.raw(String(DEFAULT_COIN_TYPE))}
    and ${coin} < ${sql.raw(String(2n * DEFAULT_COIN_TYPE))}))`;

/** Records of ENSv2 that are the address, by number. */
function withMatches({ chains, address: sought, coins, now, contracts: { chainId: main } }: ResolvesTo): SQL {
  const { resolverCode } = chains.ensv2;
  return sql`with recursive numbered as materialized (
    select ${resolver} as resolver, ${node} as record, array_agg(${coinType}::text order by ${coinType}) as coin_types
    from ${addressRecord} join ${ensv2Proxy} on ${ensv2Proxy.chainId} = ${chainId} and ${ensv2Proxy.address} = ${resolver}
      and ${ensv2Proxy.implementation} = any(${list([...resolverCode])}) ${versions}
    where ${isOfAddress(sought)} and ${isInForce} and ${chainId} = ${main}
      and ${resolverCode.size > 0 && chains.ids.includes(main)}
    group by ${resolver}, ${node}, ${chainId} having ${isWanted(coins, sql`true`)}
  ), reached (node, resolver, record, coin_types, depth) as (
    select ${domain.node}, numbered.resolver, numbered.record, numbered.coin_types, 0
    from numbered join ${ensv2Link} on ${ensv2Link.chainId} = ${main} and ${ensv2Link.resolver} = numbered.resolver
        and ${ensv2Link.record} = numbered.record and ${ensv2Link.node} = ${ROOT_NODE}
      join ${domain} on ${domain.resolver} = numbered.resolver and ${domain.chainId} = ${main}
        and ${domain.registry} is not null
    union
    select ${domain.node}, reached.resolver, reached.record, reached.coin_types, reached.depth + 1
    from reached join ${domain} on ${domain.parentNode} = reached.node and ${domain.chainId} = ${main}
      and (${domain.registry} is null or ${domain.resolver} is null or ${domain.expiryTimestamp} <= ${now}
        or ${domain.pathExpiryTimestamp} <= ${now})
    where reached.depth < ${MAX_DEPTH}
  )`;
}

/** Labels below a name of a resolver: as many as names of ENSv2 are followed. */
const MAX_DEPTH = 32;

/** Names that a link leads to a record, and all names of a resolver whose root name is linked to it. */
function byNumber({ contracts: { chainId: main } }: ResolvesTo): SQL {
  return sql`select ${domain.chainId} as chain_id, ${domain.node} as node, numbered.resolver, numbered.record,
      numbered.coin_types
    from numbered join ${ensv2Link} on ${ensv2Link.chainId} = ${main} and ${ensv2Link.resolver} = numbered.resolver
        and ${ensv2Link.record} = numbered.record
      join ${domain} on ${and(eq(domain.chainId, main), eq(domain.node, ensv2Link.node))}
    where ${domain.node} <> ${ROOT_NODE}
    union
    select ${main} as chain_id, reached.node, reached.resolver, reached.record, reached.coin_types from reached`;
}

/** The names as a subquery, and what it needs before it. */
type FoundSql = { matches: SQL; found: SQL };

const foundOf = (asked: ResolvesTo, first: First): FoundSql => ({
  matches: withMatches(asked),
  found: sql`(${byNode(asked, first)}) union all (${byNumber(asked)})`,
});
