import { sql } from "ponder";
import {
  type DayExpiries,
  type DayRange,
  type Holding,
  listExpiries,
  listHolders,
  listPhaseCounts,
  MAX_HOLDERS,
  type PhaseCount,
} from "../query/population.ts";
import { sqlOf } from "../query/scope.ts";
import type { AsOf } from "../query/statistics.ts";
import { type Count, countOf } from "./count.ts";
import { changesUntil, momentInChanges, momentOf, readCounters } from "./counters.ts";
import { namesByPhaseAt, ownerChangesOn, ownersOn } from "./totals.ts";

/** The distribution of all names over states, owners and days of expiry. */

/** Names with an owner, by phase of life. */
export const phaseCounts: Count<AsOf, PhaseCount[]> = countOf({
  fromCounters: (db, { chains, now }) =>
    readCounters<PhaseCount>(
      db,
      sql`with ${namesByPhaseAt({ chains, now })}
        select ${momentInChanges} as moment, is_eth as "isEth", phase, sum(names)::int as names
        from class where ${sqlOf(chains).holds(sql`chain_id`)} and is_counted and is_owned
        group by is_eth, phase having sum(names) <> 0`,
    ),
  fromRows: listPhaseCounts,
});

/**
 * The addresses with the most active names. All owners on the chains are read: an index on their counts would have to be updated
 * whenever a name changes hands.
 */
export const holders: Count<AsOf, Holding[]> = countOf({
  fromCounters: (db, { chains, now }) =>
    readCounters<Holding>(
      db,
      sql`with ${changesUntil(now, sqlOf(chains))}, ${ownerChangesOn(chains)}, held as (
        select address, coalesce(counter.names, 0) + coalesce(owner_change.names, 0) as names
        from (${ownersOn(chains)}) as counter full join owner_change using (address)
      )
      select ${momentInChanges} as moment, address as owner, names::int as names
      from held where names > 0 order by held.names desc, address limit ${MAX_HOLDERS}`,
    ),
  fromRows: listHolders,
});

/** Counts expiries by day, from a day on. None of these counts changes with time alone. */
export const expiries: Count<DayRange, DayExpiries[]> = countOf({
  fromCounters: (db, { chains, firstDay, endDay }) =>
    readCounters<DayExpiries>(
      db,
      sql`select ${momentOf(sqlOf(chains))} as moment, least(expiry_day, ${endDay})::int as day, is_eth as "isEth",
          sum(names)::int as names
        from figures_expiries where ${sqlOf(chains).holds(sql`chain_id`)} and has_end and expiry_day >= ${firstDay}
        group by 2, 3 having sum(names) <> 0 order by 2, 3`,
    ),
  fromRows: listExpiries,
});
