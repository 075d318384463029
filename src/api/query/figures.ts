import { domain } from "ponder:schema";
import type { SQL } from "drizzle-orm";
import { sql } from "ponder";
import { ETH_NODE, ROOT_NODE } from "../../ens/name.ts";
import { SHORTEST_LABEL } from "../availability.ts";
import type { Db } from "../context.ts";
import { classColumns, classOf, mayDiffer } from "./counting.ts";
import type { SearchFigures, SearchFilters } from "./search.ts";
import {
  type Adoption,
  type ClaimCounts,
  MAX_PARENTS,
  type Moment,
  type Share,
  type Totals,
} from "./statistics.ts";

/*
 * Answers from the counts that are kept with every write (`upkeep/figures.ts`). They are exact: what only time changed
 * since the counts were moved is put right from the rows that it may concern. Null where there are no counts, because
 * they are still to be made or a fault made them void; who asks counts the rows then.
 */

/** The moment for which the counts hold; null where they are not of the tables as they are. */
const MOMENT = "(select taken_at from figures_state where counted = 'domains'::regclass::oid)";

const UNDEFINED_TABLE = "42P01";

async function readRows<Row extends Record<string, unknown>>(db: Db, statement: SQL): Promise<Row[] | null> {
  try {
    const rows = (await db.execute(statement)).rows as (Row & { moment: string | null })[];
    return rows[0] === undefined || rows[0].moment === null ? null : rows;
  } catch (error) {
    const { code, cause } = error as { code?: string; cause?: { code?: string } };
    if ((code ?? cause?.code) === UNDEFINED_TABLE) return null;
    throw error;
  }
}

/** Names that may count as something else than at the moment of the counts, with what they counted as and count as now. */
function changesUntil(now: number): SQL {
  const at = `${Math.floor(now)}::bigint`;
  return sql.raw(`due as materialized (
      select d.* from domains d where d.full_name <> '' and (${mayDiffer(MOMENT, at)})
    ), change as materialized (
      select -1 as sign, ${classOf(MOMENT)} from due d union all select 1, ${classOf(at)} from due d
    )`);
}

const keys = classColumns.join(", ");

/** The counts of names as they are now. */
const namesAt = (now: number): SQL => sql`${changesUntil(now)}, kept as materialized (
    select ${sql.raw(keys)}, names from figures_names
    union all select ${sql.raw(keys)}, sign from change
  )`;

const sumIf = (condition: string) => sql.raw(`coalesce(sum(names) filter (where ${condition}), 0)::int`);

const IS_ACTIVE = "(phase in ('registered', 'grace') or phase = 'unlimited' and not is_eth)";

/** Twin of `readTotals`, with the number of events. */
export async function readKeptTotals(
  db: Db,
  { chainId, now }: Moment,
): Promise<{ totals: Totals; events: number } | null> {
  const rows = await readRows<Totals & { events: number }>(
    db,
    sql`with ${namesAt(now)}, ${ownersAt}
      select ${sql.raw(MOMENT)} as moment, coalesce(sum(names), 0)::int as total,
        ${sumIf(IS_ACTIVE)} as active, ${sumIf("is_wrapped")} as wrapped,
        ${sumIf("expires_within = 30")} as "expiring30d", ${sumIf("expires_within in (30, 90)")} as "expiring90d",
        (select count from owners)::int as owners, (select events from figures_state)::int as events
      from kept where chain_id = ${chainId} and is_counted and is_owned`,
  );
  const [row] = rows ?? [];
  if (row === undefined) return null;
  const { total, active, wrapped, expiring30d, expiring90d, owners, events } = row;
  return { totals: { total, active, wrapped, expiring30d, expiring90d, owners }, events };
}

/** How many addresses own a name: those that did, and those for whom time made the difference. */
const ownersAt = sql.raw(`owner_change as materialized (
    select owner as address, sum(sign) as names from change where is_held group by owner having sum(sign) <> 0
  ), owners as (
    select (select count(*) from figures_addresses where names > 0) + (
      select count(*) filter (where coalesce(kept.names, 0) + owner_change.names > 0)
        - count(*) filter (where kept.names > 0)
      from owner_change left join figures_addresses kept using (address)
    ) as count
  )`);

/** Twin of `readAdoption` and `listClaimCounts`. */
export async function readKeptAdoption(
  db: Db,
  { now }: Moment,
): Promise<{ adoption: Adoption; claims: ClaimCounts[] } | null> {
  const rows = await readRows<Adoption & { claims: ClaimCounts[] | null }>(
    db,
    sql`with ${changesUntil(now)}, ${ownersAt}
      select ${sql.raw(MOMENT)} as moment, (select count from owners)::int as owners,
        (count(*) filter (where claims > 0))::int as claimants,
        (count(*) filter (where claims > 0 and claims * squares > chains * chains))::int as "multiChain",
        (count(*) filter (where claims > 0 and kept.names + coalesce(owner_change.names, 0) > 0))::int as "ownersWithName",
        (select json_agg(json_build_object('registrar', registrar, 'chainId', chain_id, 'withName', with_name,
          'cleared', cleared, 'unknown', unknown)) from figures_claims) as claims
      from figures_addresses kept left join owner_change using (address) where claims > 0`,
  );
  const [row] = rows ?? [];
  if (row === undefined) return null;
  const { claimants, multiChain, owners, ownersWithName, claims } = row;
  return { adoption: { claimants, multiChain, owners, ownersWithName }, claims: claims ?? [] };
}

/** Twin of `listShares`. */
export async function listKeptShares(db: Db, { chainId, now }: Moment): Promise<Share[] | null> {
  const isHere = sql`${domain.chainId} = ${chainId}`;
  const rows = await readRows<Share>(
    db,
    sql`with ${namesAt(now)}, parent as materialized (
      select parent_node as node, sum(active) as active, sum(all_time) as all_time from (
        select parent_node, active, all_time from figures_parents where chain_id = ${chainId}
        union all
        select parent_node, case when is_held then sign else 0 end, sign from change
        where chain_id = ${chainId} and is_counted and has_parent
      ) as parents group by parent_node
    ), tld as (
      select ${domain.node} as node, ${domain.fullName} as name
      from ${domain} where ${isHere} and ${domain.parentNode} = ${ROOT_NODE}
    ), largest as (
      select node, active, all_time from parent
      where node <> ${ROOT_NODE} and node not in (select node from tld) and active > 0
      order by active desc, node limit ${MAX_PARENTS}
    ), share as (
      select 'length' as kind, label_length::text as key, false as is_eth, sum(names) filter (where is_held) as active,
        coalesce(sum(names) filter (where is_held and is_eth), 0) as active_eth, sum(names) as all_time
      from (select kept.*, ${sql.raw(IS_ACTIVE)} and is_owned as is_held from kept
        where chain_id = ${chainId} and is_counted and has_parent and label_length >= 0) as kept
      group by label_length having sum(names) filter (where is_held) > 0
      union all
      select 'tld', tld.name, tld.node = ${ETH_NODE}, parent.active, 0, parent.all_time
      from parent join tld on tld.node = parent.node where parent.all_time > 0
      union all
      select 'parent', ${domain.fullName}, false, largest.active, 0, largest.all_time
      from largest join ${domain} on ${isHere} and ${domain.node} = largest.node
    )
    select ${sql.raw(MOMENT)} as moment, kind, key, is_eth as "isEth", active::int, active_eth::int as "activeEth",
      all_time::int as "allTime" from share`,
  );
  return (
    rows?.map(({ kind, key, isEth, active, activeEth, allTime }) => ({
      ...{ kind, key, isEth, active, activeEth, allTime },
    })) ?? null
  );
}

/** Conditions on what names count as, for each state of availability. SQL twin of `hasAvailability`. */
const availabilities = {
  registered:
    "(phase = 'registered' and (is_eth or is_owned) or phase = 'unlimited' and not is_eth and is_owned)",
  grace: "phase = 'grace'",
  premium: "phase = 'premium'",
  available: `(phase = 'ended' or is_eth and phase = 'unlimited' and label_length >= ${SHORTEST_LABEL})`,
} as const;

/** Filters by which names are counted already; with any other the rows have to be looked at. */
const countedFilters: readonly (keyof SearchFilters)[] = [
  "availability",
  "minLength",
  "maxLength",
  "isWrapped",
  "isFullName",
];

/** Twin of `countSearch`; null for filters by which nothing is counted, too. */
export async function readKeptSearch(
  db: Db,
  filters: SearchFilters,
  { chainId, now }: Moment,
): Promise<SearchFigures | null> {
  const given = Object.entries(filters).filter(([, value]) => value !== undefined && value !== "");
  if (!given.every(([name]) => countedFilters.includes(name as keyof SearchFilters))) return null;
  const { availability, minLength, maxLength, isWrapped } = filters;
  const conditions = [
    sql`chain_id = ${chainId}`,
    ...(availability ? [sql.raw(availabilities[availability])] : []),
    ...(minLength === undefined ? [] : [sql`label_length >= ${minLength}`]),
    ...(maxLength === undefined ? [] : [sql`label_length between 0 and ${maxLength}`]),
    ...(isWrapped === undefined ? [] : [sql`is_wrapped = ${isWrapped}`]),
  ];
  const rows = await readRows<SearchFigures>(
    db,
    sql`with ${namesAt(now)}
      select ${sql.raw(MOMENT)} as moment, coalesce(sum(names), 0)::int as total,
        ${sumIf("phase in ('premium', 'ended', 'over')")} as expired,
        ${sumIf("expires_within = 30")} as "expiring30d", ${sumIf("expires_within in (30, 90)")} as "expiring90d",
        ${sumIf("is_wrapped")} as wrapped
      from kept where ${sql.join(conditions, sql` and `)}`,
  );
  const [row] = rows ?? [];
  if (row === undefined) return null;
  const { total, expired, expiring30d, expiring90d, wrapped } = row;
  return { total, expired, expiring30d, expiring90d, wrapped };
}
