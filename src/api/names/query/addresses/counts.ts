import { domain, holder } from "ponder:schema";
import type { SQL } from "drizzle-orm";
import { and, sql } from "ponder";
import type { Db } from "../../../server/postgres/db.ts";
import { toSql } from "../../rules/conditionSql.ts";
import { sqlOf } from "../scope.ts";
import { filterCondition, type NameFilters } from "./nameFilters.ts";
import type { AddressAt } from "./ownerConditions.ts";
import { wasHeld } from "./previous.ts";
import { type Held, partsOfRelations } from "./relationParts.ts";

/** Counts of an address's names: all, registered or in grace, in premium or available, and expiring within 30 days. */
export type HeldCounts = { total: number; active: number; expired: number; expiring30d: number };

/** Counts the names of an address on each chain of the scope. Chains without names are left out. */
export async function countHeld(
  db: Db,
  { relations, ...at }: Held,
  filters: NameFilters,
): Promise<Map<number, HeldCounts>> {
  const parts = partsOfRelations(at, relations);
  if (parts.length === 0) return new Map();
  const { rule, life } = sqlOf(at.chains);
  const filter = filterCondition(filters, at);
  const each = parts.map(
    ({ from, where }): SQL => sql`(select ${domain.chainId} as chain_id, ${domain.node} as node,
      ${toSql(rule(life.registeredOrGrace), at.now)} as active, ${toSql(rule(life.expired), at.now)} as expired,
      ${toSql(life.expiringWithin(30), at.now)} as expiring from ${from} where ${and(where, filter)})`,
  );
  // A name in several parts counts once.
  const { rows } = await db.execute<HeldCounts & { chainId: number }>(sql`
    select chain_id as "chainId", count(*)::int as total, (count(*) filter (where active))::int as active,
      (count(*) filter (where expired))::int as expired, (count(*) filter (where expiring))::int as "expiring30d"
    from (${sql.join(each, sql` union `)}) as name group by chain_id`);
  return new Map(rows.map(({ chainId, ...counts }) => [chainId, counts]));
}

/** Counts the names that an address effectively owns. The index of owners contains all columns read. */
export const countOwned = (db: Db, at: AddressAt): Promise<Map<number, HeldCounts>> =>
  countHeld(db, { ...at, relations: ["effective_owner"] }, { choice: "all" });

/** The number of names an address has, as in `HeldCounts`, and the number that `listPrevious` returns. */
export type Summary = { active: number; expiring30d: number; previous: number };

/** Counts the current and previous names of an address on each chain of the scope. */
export async function summarise(db: Db, at: AddressAt): Promise<Map<number, Summary>> {
  const [held, gone] = await Promise.all([
    countOwned(db, at),
    db
      .select({ chainId: holder.chainId, count: sql<number>`count(*)::int` })
      .from(holder)
      .where(wasHeld(db, at))
      .groupBy(holder.chainId),
  ]);
  const previousOn = new Map(gone.map(({ chainId, count }) => [chainId, count]));
  return new Map(
    at.chains.ids.map((chainId) => {
      const { active = 0, expiring30d = 0 } = held.get(chainId) ?? {};
      return [chainId, { active, expiring30d, previous: previousOn.get(chainId) ?? 0 }];
    }),
  );
}
