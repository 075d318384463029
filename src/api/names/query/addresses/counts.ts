import { domain } from "ponder:schema";
import type { SQL } from "drizzle-orm";
import { and, sql } from "ponder";
import type { Db } from "../../../server/postgres/db.ts";
import { toSql } from "../../rules/conditionSql.ts";
import { countIf } from "../countIf.ts";
import { sqlOf } from "../scope.ts";
import { filterCondition, type NameFilters } from "./nameFilters.ts";
import { type AddressAt, isOwned, runForAddress } from "./ownerConditions.ts";
import { type Held, partsOfRelations } from "./relationParts.ts";

/** Counts of an address's names: all, registered or in grace, in premium or available, and expiring within 30 days. */
export type HeldCounts = { total: number; active: number; expired: number; expiring30d: number };

export const noneHeld: HeldCounts = { total: 0, active: 0, expired: 0, expiring30d: 0 };

/** Counts the names that an address effectively owns. The index of owners contains all columns read. */
export async function countOwned(
  db: Db,
  asked: AddressAt,
): Promise<Map<number, Omit<HeldCounts, "expired">>> {
  const { rule, life } = sqlOf(asked.chains);
  const rows = await runForAddress(db, asked, ["owned counts"], (at) =>
    db
      .select({
        chainId: domain.chainId,
        total: sql<number>`count(*)::int`,
        active: countIf(toSql(rule(life.registeredOrGrace), at.now)),
        expiring30d: countIf(toSql(life.expiringWithin(30), at.now)),
      })
      .from(domain)
      .where(isOwned(at))
      .groupBy(domain.chainId),
  );
  return new Map(rows.map(({ chainId, ...counts }) => [chainId, counts]));
}

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
