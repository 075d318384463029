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

/** The coin types that count: one, those of all EVM chains, or any. */
export type CoinFilter = bigint | "evm" | "any";

/** An address to search for, the coin types, and the chains. */
export type ResolvesTo = {
  chains: Scope;
  address: Address;
  coins: CoinFilter;
  contracts: Pick<Contracts, "chainId" | "chainIds" | "resolversOf" | "ensv2">;
  now: number;
};

/**
 * A name whose record, according to the stored rows, is the address. The record is stored under the name's node or under a
 * number.
 */
export type Pointing = {
  chainId: number;
  node: Hex;
  resolver: Address;
  record: Hex;
  /** Coin types of the matching records. */
  coinTypes: string[];
};

/** The order of the names. It is the order of an index, so a page reads only its own rows. */
export const pointingKeys: Keyset = [
  { column: sql`found.node`, kind: "hash", direction: "asc" },
  { column: sql`found.chain_id`, kind: "integer", direction: "asc" },
  { column: sql`found.resolver`, kind: "address", direction: "asc" },
];

/** A page of the names that have this address, according to the stored rows, with their number, up to `countTo` + 1. */
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

/** The length of an address's beginning in an index. The longest addresses of any chain are shorter. */
const beginning = (of: SQL): SQL => sql`left(${of}, 130)`;

/**
 * The index finds addresses by their beginning. The planner would take the comparison of the whole address for a selective second
 * condition and sort everything it finds; `case` hides it.
 */
const isOfAddress = (sought: Address): SQL =>
  sql`${beginning(sql`${address}`)} = ${beginning(sql`${sought}::text`)}
    and case when ${address} = ${sought} then true else false end`;

/**
 * Finds the version in force of a record. Here and below, `offset 0` forces one lookup per record: the planner expects few
 * records to be in force, and would find and sort all of them instead of reading in index order until a page is full.
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

/** The number of names needed, in list order, and the position to start after. */
type First = { after?: Position | undefined; most: number };

/** The order of the names, by the columns of their records. */
const recordKeys: Keyset = pointingKeys.map((key, i) => ({
  ...key,
  column: [sql`${node}`, sql`${chainId}`, sql`${resolver}`][i] as SQL,
}));

/**
 * ENSv1 names, and ENSv2 names at a resolver that stores records by node, in index order. The limit applies here, so no further
 * records are read.
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

/** True if a resolver returns the default address for a chain without a record. */
const withDefaultOf = (chains: Scope, { resolversOf }: ResolvesTo["contracts"]): SQL =>
  sql.join(
    chains.ids.map(
      (id) => sql`(${chainId} = ${id} and ${resolver} = any(${list(resolversOf(id).withDefault)}))`,
    ),
    sql` or `,
  );

/**
 * True if the coin types of a name's records match the filter. The default record stands in for chains without one of their own.
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

/** True for coin types for which a resolver returns the default address. */
export const isOfChain = (coin: bigint): boolean =>
  coin === ETHEREUM_COIN_TYPE || (coin > DEFAULT_COIN_TYPE && coin < 2n * DEFAULT_COIN_TYPE);

/** The same in SQL. */
export const isOfChainSql = (coin: SQL): SQL =>
  sql`(${coin} = ${sql.raw(String(ETHEREUM_COIN_TYPE))} or (${coin} > ${sql.raw(String(DEFAULT_COIN_TYPE))}
    and ${coin} < ${sql.raw(String(2n * DEFAULT_COIN_TYPE))}))`;

/** ENSv2 records with the address, by number. */
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

/** Maximum depth below a resolver's root name; ENSv2 names are followed to the same depth. */
const MAX_DEPTH = 32;

/** Names that a link leads to a record, and all names of a resolver whose root name is linked to the record. */
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

/** The names as a subquery, and the common table expressions it needs. */
type FoundSql = { matches: SQL; found: SQL };

const foundOf = (asked: ResolvesTo, first: First): FoundSql => ({
  matches: withMatches(asked),
  found: sql`(${byNode(asked, first)}) union all (${byNumber(asked)})`,
});
