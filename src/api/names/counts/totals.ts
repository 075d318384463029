import type { SQL } from "drizzle-orm";
import { sql } from "ponder";
import { type Scope, sqlOf } from "../query/scope.ts";
import {
  type Adoption,
  type AsOf,
  type ClaimCounts,
  countEvents,
  listClaimCounts,
  listShares,
  readAdoption,
  readTotals,
  type Share,
  shareColumns,
  sharesOf,
  type Totals,
} from "../query/statistics.ts";
import { classColumns, classCondition, classExpiresWithin } from "./classes.ts";
import { type Count, countOf } from "./count.ts";
import {
  changesUntil,
  momentInChanges,
  noMore,
  readCounter,
  readCounters,
  sumIf,
  unseenChanges,
} from "./counters.ts";

/* Statistics of the whole index. */

/** The name counters, corrected to now. */
const namesAt = (at: AsOf): SQL => classesAt(at, noMore);

/** The same, with corrected phases of names that ENSv2 never saw. */
export const namesByPhaseAt = (at: AsOf): SQL => classesAt(at, unseenChanges(sqlOf(at.chains)));

function classesAt({ chains, now }: AsOf, more: typeof noMore): SQL {
  const of = sqlOf(chains);
  const keys = sql.raw(classColumns(of.life).join(", "));
  return sql`${changesUntil(now, of)}${more.tables}, class as materialized (
    select ${keys}, names from figures_names
    union all select ${keys}, sign from change${more.rows}
  )`;
}

/** Number of names by current state, and number of events. */
export const totals: Count<AsOf, Totals & { events: number }> = countOf({
  fromCounters: (db, { chains, now }) => {
    const { holds, life } = sqlOf(chains);
    return readCounter<Totals & { events: number }>(
      db,
      sql`with ${namesAt({ chains, now })}, ${ownersAt(chains)}
        select ${momentInChanges} as moment, coalesce(sum(names), 0)::int as total,
          ${sumIf(classCondition(life.active))} as active,
          ${sumIf(classCondition(life.expired))} as expired, ${sumIf("is_wrapped")} as wrapped,
          ${sumIf(classExpiresWithin(30))} as "expiring30d", ${sumIf(classExpiresWithin(90))} as "expiring90d",
          (select count from owners)::int as owners,
          (select coalesce(sum(events), 0) from figures_events where ${holds(chainId)})::int as events
        from class where ${holds(chainId)} and is_counted and is_owned`,
    );
  },
  fromRows: async (db, at) => {
    const [ofNames, events] = await Promise.all([readTotals(db, at), countEvents(db, at)]);
    return { ...ofNames, events };
  },
});

const chainId = sql`chain_id`;

/**
 * Numbers of names per owner, corrected for changes that came with time alone: `owner_change` has what to add to the counters.
 */
export const ownerChangesOn = (chains: Scope): SQL => sql`owner_change as materialized (
    select owner as address, sum(sign) as names from change
    where is_held and owner is not null and ${sqlOf(chains).holds(chainId)}
    group by owner having sum(sign) <> 0
  )`;

/** Addresses with their number of names at the counters' moment. */
export const ownersOn = (chains: Scope): SQL =>
  sql`select address, sum(names) as names from figures_owners where ${sqlOf(chains).holds(chainId)} group by address`;

/** The number of addresses that own a name: those at the counters' moment, corrected for changes that came with time alone. */
function ownersAt(chains: Scope): SQL {
  const { holds, isSeveral } = sqlOf(chains);
  const isHere = holds(chainId);
  const several = sql`${ownerChangesOn(chains)}, owners as (
      select count(*) as count from (
        select address from (
          select address, names from figures_owners where ${isHere} union all select address, names from owner_change
        ) as held group by address having sum(names) > 0
      ) as owner
    )`;
  const main = sql`${ownerChangesOn(chains)}, owners as (
    select (select count(*) from figures_owners where ${isHere} and names > 0) + (
      select count(*) filter (where coalesce(counter.names, 0) + owner_change.names > 0)
        - count(*) filter (where counter.names > 0)
      from owner_change
        left join figures_owners counter on ${holds(sql`counter.chain_id`)} and counter.address = owner_change.address
    ) as count
  )`;
  // With 600,000 owners: 0.1 s without grouping, 2.8 s with it.
  return isSeveral ? several : main;
}

/** The number of owners that claim a name, and the claims by registrar and chain. */
export const adoption: Count<AsOf, Adoption & { claims: ClaimCounts[] }> = countOf({
  fromCounters: (db, { chains, now }) =>
    readCounter<Adoption & { claims: ClaimCounts[] }>(
      db,
      sql`with ${changesUntil(now, sqlOf(chains))}, ${ownersAt(chains)}
        select ${momentInChanges} as moment, (select count from owners)::int as owners,
          (count(*) filter (where claims > 0))::int as claimants,
          (count(*) filter (where claims > 0 and claims * squares > figures_addresses.chains * figures_addresses.chains))::int
            as "multiChain",
          (count(*) filter (where coalesce(counter.names, 0) + coalesce(owner_change.names, 0) > 0))::int
            as "ownersWithName",
          (select coalesce(json_agg(json_build_object('registrar', registrar, 'chainId', chain_id, 'withName', with_name,
            'cleared', cleared, 'unknown', unknown)), '[]') from figures_claims where with_name + cleared + unknown > 0) as claims
        from figures_addresses
          left join (${ownersOn(chains)}) as counter on counter.address = figures_addresses.address
          left join owner_change on owner_change.address = figures_addresses.address
        where claims > 0`,
    ),
  fromRows: async (db, at) => {
    const [ofOwners, claims] = await Promise.all([readAdoption(db, at), listClaimCounts(db)]);
    return { ...ofOwners, claims };
  },
});

/** Names by length, TLD and parent. */
export const shares: Count<AsOf, Share[]> = countOf({
  fromCounters: (db, { chains, now }) => {
    const { holds, life } = sqlOf(chains);
    const isHere = holds(chainId);
    const lengths = sql`select label_length as length, sum(names) filter (where is_held) as active,
        coalesce(sum(names) filter (where is_held and is_eth), 0) as active_eth, sum(names) as all_time
      from (select class.*, ${sql.raw(classCondition(life.active))} and is_owned as is_held from class
        where ${isHere} and is_counted and has_parent and label_length >= 0) as held
      group by label_length`;
    return readCounters<Share>(
      db,
      sql`with ${namesAt({ chains, now })}, parent as materialized (
        select parent_node as node, sum(active) as active, sum(all_time) as all_time from (
          select parent_node, active, all_time from figures_parents where ${isHere}
          union all
          select parent_node, case when is_held then sign else 0 end, sign from change
          where ${isHere} and is_counted and has_parent
        ) as parents group by parent_node
      ), ${sharesOf(chains, lengths)}
      select ${momentInChanges} as moment, ${shareColumns} from share`,
    );
  },
  fromRows: listShares,
});
