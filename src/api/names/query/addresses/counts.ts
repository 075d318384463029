import { domain } from "ponder:schema";
import type { SQL } from "drizzle-orm";
import { and, sql } from "ponder";
import type { Db } from "../../../server/postgres/db.ts";
import { toSql } from "../../rules/conditionSql.ts";
import { sqlOf } from "../scope.ts";
import { filterCondition, type NameFilters } from "./nameFilters.ts";
import type { AddressAt } from "./ownerConditions.ts";
import { type Held, partsOfRelations } from "./relationParts.ts";

/** How many names an address holds: all, registered or in grace, in premium or available, and expiring within 30 days. */
export type HeldCounts = { total: number; active: number; expired: number; expiring30d: number };

export const noneHeld: HeldCounts = { total: 0, active: 0, expired: 0, expiring30d: 0 };

/** The names that an address effectively owns. */
export const countOwned = (db: Db, at: AddressAt): Promise<Map<number, HeldCounts>> =>
  countHeld(db, { ...at, relations: ["effective_owner"] }, { choice: "all" });

/** Counts the names of an address on each chain of the scope; chains without any are left out. */
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
  // A name that is in several parts counts once.
  const { rows } = await db.execute<HeldCounts & { chainId: number }>(sql`
    select chain_id as "chainId", count(*)::int as total, (count(*) filter (where active))::int as active,
      (count(*) filter (where expired))::int as expired, (count(*) filter (where expiring))::int as "expiring30d"
    from (${sql.join(each, sql` union `)}) as name group by chain_id`);
  return new Map(rows.map(({ chainId, ...counts }) => [chainId, counts]));
}
