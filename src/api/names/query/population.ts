import { domain } from "ponder:schema";
import { and, gte, isNotNull, sql } from "ponder";
import type { Address } from "viem";
import { all } from "../../../ens/condition.ts";
import type { Db } from "../../server/postgres/db.ts";
import { type StatementColumn, toSql } from "../rules/conditionSql.ts";
import { isCounted, isOfRegistrar } from "../rules/nameRules.ts";
import { ownerAt } from "../rules/ownershipSql.ts";
import { DAY } from "../rules/seconds.ts";
import { type Phase, phases } from "../rules/stages.ts";
import { type Scope, sqlOf } from "./scope.ts";
import type { AsOf } from "./statistics.ts";

/**
 * The distribution of all names over states, owners and days of expiry. Each statement counts every name; these are used until
 * the counters are installed.
 */

/** Names with an owner, by phase of life. `isEth` is true if a registrar stores their expiry. */
export type PhaseCount = { isEth: boolean; phase: Phase; names: number };

export async function listPhaseCounts(db: Db, { chains, now }: AsOf): Promise<PhaseCount[]> {
  const { holds, rule, life } = sqlOf(chains);
  const isEth = toSql(rule(isOfRegistrar));
  const phase = sql.join(
    phases.map((one) => sql`when ${toSql(rule(life.inPhase(one)), now)} then ${one}`),
    sql` `,
  );
  const { rows } = await db.execute<PhaseCount>(sql`
    select ${isEth} as "isEth", case ${phase} end as phase, count(*)::int as names
    from ${domain} where ${and(holds(domain.chainId), toSql(all<StatementColumn>(isCounted, life.owned)))} group by 1, 2`);
  return rows;
}

/** An address, and the number of active names it effectively owns. */
export type Holding = { owner: Address; names: number };

/** The maximum number of holders in an answer: those with the most names. */
export const MAX_HOLDERS = 100;

/** The addresses with the most active names. */
export async function listHolders(db: Db, { chains, now }: AsOf): Promise<Holding[]> {
  const { holds, rule, life } = sqlOf(chains);
  const isHeld = toSql(rule(all<StatementColumn>(isCounted, life.owned, life.active)), now);
  const { rows } = await db.execute<Holding>(sql`
    select ${ownerAt(now)} as owner, count(*)::int as names
    from ${domain} where ${and(holds(domain.chainId), isHeld, isNotNull(ownerAt(now)))}
    group by 1 order by names desc, owner limit ${MAX_HOLDERS}`);
  return rows;
}

/** Names that expire on one day (UTC), `day` counting from 1 January 1970. */
export type DayExpiries = { day: number; isEth: boolean; names: number };

/** Expiries are listed from `firstDay` on. Those on or after `endDay` are all counted as `endDay`. */
export type DayRange = { chains: Scope; firstDay: number; endDay: number };

/** Counts expiries by day, from a day on. */
export async function listExpiries(db: Db, { chains, firstDay, endDay }: DayRange): Promise<DayExpiries[]> {
  const { holds, rule, life } = sqlOf(chains);
  const isEth = toSql(rule(isOfRegistrar));
  const day = sql`least(div(${domain.expiryTimestamp}, ${sql.raw(String(DAY))}), ${endDay}::numeric)::int`;
  const { rows } = await db.execute<DayExpiries>(sql`
    select ${day} as day, ${isEth} as "isEth", count(*)::int as names
    from ${domain}
    where ${and(holds(domain.chainId), toSql(isCounted), gte(domain.expiryTimestamp, BigInt(firstDay * DAY)), toSql(rule(life.hasEnd)))}
    group by 1, 2 order by 1, 2`);
  return rows;
}
