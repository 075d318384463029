import { domain, event, primaryName } from "ponder:schema";
import type { SQL } from "drizzle-orm";
import { and, isNotNull, sql } from "ponder";
import { all } from "../../../ens/condition.ts";
import { ETH_NODE, ROOT_NODE } from "../../../ens/name.ts";
import type { Db } from "../../server/postgres/db.ts";
import { type StatementColumn, toSql } from "../rules/conditionSql.ts";
import { isCounted, isOfRegistrar } from "../rules/nameRules.ts";
import { wrapped } from "../rules/ownership.ts";
import { ownerAt } from "../rules/ownershipSql.ts";
import { countIf } from "./countIf.ts";
import { type Scope, sqlOf } from "./scope.ts";

/** Counts over the whole index. Each reads its table once: no index helps to count everything. */

/** The scope whose names are counted, and the time in Unix seconds. */
export type AsOf = { chains: Scope; now: number };

/** Matches names of these chains that have an owner: a deleted subname is no longer a name. */
function isOwned({ chains }: AsOf): SQL | undefined {
  const { holds, life } = sqlOf(chains);
  return and(holds(domain.chainId), toSql(all<StatementColumn>(isCounted, life.owned)));
}

/** Numbers of names by current state. */
export type Totals = {
  total: number;
  active: number;
  expired: number;
  wrapped: number;
  expiring30d: number;
  expiring90d: number;
  /** Number of addresses that effectively own an active name. */
  owners: number;
};

export async function readTotals(db: Db, at: AsOf): Promise<Totals> {
  const { now } = at;
  const { rule, life } = sqlOf(at.chains);
  const isActive = toSql(rule(life.active), now);
  const [row] = await db
    .select({
      total: sql<number>`count(*)::int`,
      active: countIf(isActive),
      expired: countIf(toSql(rule(life.expired), now)),
      wrapped: countIf(toSql(wrapped, now)),
      expiring30d: countIf(toSql(life.expiringWithin(30), now)),
      expiring90d: countIf(toSql(life.expiringWithin(90), now)),
      owners: sql<number>`(count(distinct ${ownerAt(now)}) filter (where ${isActive}))::int`,
    })
    .from(domain)
    .where(isOwned(at));
  return row ?? { total: 0, active: 0, expired: 0, wrapped: 0, expiring30d: 0, expiring90d: 0, owners: 0 };
}

/** Counts the indexed logs of these chains, once for each name that a log concerns. */
export async function countEvents(db: Db, { chains }: AsOf): Promise<number> {
  const [row] = await db
    .select({ count: sql<number>`count(*)::int` })
    .from(event)
    .where(sqlOf(chains).holds(event.chainId));
  return row?.count ?? 0;
}

/** One line of the distribution: names by label length, TLD, or parent. */
export type Share = {
  kind: "length" | "tld" | "parent";
  /** Code points of the label, as digits; or the name of the TLD or parent. */
  key: string;
  /** True for the TLD `eth`. */
  isEth: boolean;
  /** Active names. `activeEth` counts only second-level names of the registrars. */
  active: number;
  activeEth: number;
  /** Active names and former ones. */
  allTime: number;
};

/** The maximum number of parents in an answer: those with the most names. */
const MAX_PARENTS = 100;

/**
 * Tables of a statement whose last one is `share`: names by length, TLD and parent.
 *
 * @param lengths selects `length`, `active`, `active_eth` and `all_time`; an earlier table `parent` has `node`, `active` and
 * `all_time` of each parent
 */
export function sharesOf(chains: Scope, lengths: SQL): SQL {
  const isHere = sqlOf(chains).holds(domain.chainId);
  return sql`tld as (
      select ${domain.node} as node, ${domain.fullName} as name
      from ${domain} where ${isHere} and ${domain.parentNode} = ${ROOT_NODE}
    ), largest as (
      select node, active, all_time from parent
      where node <> ${ROOT_NODE} and node not in (select node from tld) and active > 0
      order by active desc, node limit ${MAX_PARENTS}
    ), share as (
      select 'length' as kind, length::text as key, false as is_eth, active, active_eth, all_time
      from (${lengths}) as lengths where active > 0
      union all
      select 'tld', tld.name, tld.node = ${ETH_NODE}, parent.active, 0, parent.all_time
      from parent join tld on tld.node = parent.node where parent.all_time > 0
      union all
      select 'parent', max(${domain.fullName}), false, largest.active, 0,
        largest.all_time
      from largest join ${domain} on ${isHere} and ${domain.node} = largest.node
      group by largest.node, largest.active, largest.all_time
    )`;
}

/** The columns of `Share` in the table `share`. */
export const shareColumns = sql`kind, key, is_eth as "isEth", active::int, active_eth::int as "activeEth", all_time::int as "allTime"`;

/** Names by length, TLD and parent, all from one count by parent and length. */
export async function listShares(db: Db, { chains, now }: AsOf): Promise<Share[]> {
  const { holds, rule, life } = sqlOf(chains);
  const isActive = toSql(rule(all(life.active, life.owned)), now);
  const isEth = sql`bool_or(${toSql(rule(isOfRegistrar))})`;
  const lengths = sql`select length, sum(active) as active, coalesce(sum(active) filter (where is_eth), 0) as active_eth,
      sum(all_time) as all_time
    from by_parent where length is not null group by length`;
  const { rows } = await db.execute<Share>(sql`
    with by_parent as materialized (
      select ${domain.parentNode} as node, ${domain.labelLength} as length, ${isEth} as is_eth,
        count(*) filter (where ${isActive}) as active, count(*) as all_time
      from ${domain} where ${holds(domain.chainId)} and ${toSql(isCounted)} and ${domain.parentNode} is not null
      group by 1, 2, ${domain.chainId}
    ), parent as (
      select node, sum(active) as active, sum(all_time) as all_time from by_parent group by node
    ), ${sharesOf(chains, lengths)}
    select ${shareColumns} from share`);
  return rows;
}

/** Name claims at one family of reverse registrars, on one chain. */
export type ClaimCounts = {
  registrar: string;
  chainId: number;
  withName: number;
  cleared: number;
  /** Claims whose name appears in no event. */
  unknown: number;
};

/** Counts claims by registrar and chain. Pairs without claims are left out. */
export function listClaimCounts(db: Db): Promise<ClaimCounts[]> {
  const { name, isNameKnown, registrar, chainId } = primaryName;
  return db
    .select({
      registrar,
      chainId,
      withName: countIf(isNotNull(name)),
      cleared: countIf(sql`${name} is null and ${isNameKnown}`),
      unknown: countIf(sql`${name} is null and not ${isNameKnown}`),
    })
    .from(primaryName)
    .groupBy(registrar, chainId);
}

/** Addresses that claim a name, and owners of active names. */
export type Adoption = {
  /** Addresses that claim a name on any chain. */
  claimants: number;
  /** Claimants on two or more chains. */
  multiChain: number;
  owners: number;
  /** Owners of active names that claim a name. */
  ownersWithName: number;
};

/** Counts claimants, owners, and addresses that are both. */
export async function readAdoption(db: Db, at: AsOf): Promise<Adoption> {
  const { address, chainId, name } = primaryName;
  const { rule, life } = sqlOf(at.chains);
  const { rows } = await db.execute<Adoption>(sql`
    with claimant as (
      select ${address} as address, min(${chainId}) <> max(${chainId}) as on_several
      from ${primaryName} where ${name} is not null group by 1
    ), owner as (
      select distinct ${ownerAt(at.now)} as address
      from ${domain} where ${isOwned(at)} and ${toSql(rule(life.active), at.now)} and ${ownerAt(at.now)} is not null
    )
    select count(claimant.address)::int as claimants,
      (count(*) filter (where on_several))::int as "multiChain",
      count(owner.address)::int as owners,
      (count(*) filter (where claimant.address is not null and owner.address is not null))::int as "ownersWithName"
    from claimant full join owner on owner.address = claimant.address`);
  return rows[0] ?? { claimants: 0, multiChain: 0, owners: 0, ownersWithName: 0 };
}
