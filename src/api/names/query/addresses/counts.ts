import { domain } from "ponder:schema";
import type { SQL } from "drizzle-orm";
import { and, sql } from "ponder";
import type { Db } from "../../../server/postgres/db.ts";
import { toSql } from "../../rules/conditionSql.ts";
import { countIf } from "../countIf.ts";
import { type ScopeSql, sqlOf, statementOf } from "../scope.ts";
import { filterCondition, isUnfiltered, type NameFilters } from "./filters.ts";
import {
  type AddressAt,
  type AddressParameters,
  forEachOwner,
  isOwned,
  onlyOf,
  ownerRoleOf,
  parametersOf,
  valuesOf,
} from "./owners.ts";
import { type Held, type Part, partsOfRelations } from "./relations.ts";

/** How many names an address holds: all, registered or in grace, in premium or available, and expiring within 30 days. */
export type HeldCounts = { total: number; active: number; expired: number; expiring30d: number };

export const noneHeld: HeldCounts = { total: 0, active: 0, expired: 0, expiring30d: 0 };

type Sorts = Pick<AddressParameters, "of" | "now">;

const sortsOf = ({ of, now }: Sorts) => ({
  active: toSql(of.rule(of.life.registeredOrGrace), now),
  expired: toSql(of.rule(of.life.expired), now),
  expiring30d: toSql(of.life.expiringWithin(30), now),
});

/** Columns of counts. */
export function countsOf(at: Sorts) {
  const { active, expired, expiring30d } = sortsOf(at);
  return { active: countIf(active), expired: countIf(expired), expiring30d: countIf(expiring30d) };
}

/** Counts the names of an address on each chain of the scope, by one statement; chains without any are left out. */
export const countHeld = (
  db: Db,
  { relations, ...at }: Held,
  filters: NameFilters,
): Promise<Map<number, HeldCounts>> =>
  isOwnersAlone(relations) && isUnfiltered(filters) && filters.choice === "all"
    ? countOwned(db, at)
    : countParts(db, partsOfRelations(at, relations), { at, filters });

/** Whether a list is that of what the address effectively owns, for which statements are prepared. */
export const isOwnersAlone = (relations: Held["relations"]): boolean =>
  relations.length === 1 && relations[0] === "effective_owner";

/** The same of the names that it effectively owns. */
export async function countOwned(db: Db, at: AddressAt): Promise<Map<number, HeldCounts>> {
  const rows = await ownedCounts[ownerRoleOf(at)](db, at.chains, valuesOf(at));
  return new Map(rows.map(({ chainId, ...counts }) => [chainId ?? onlyOf(at.chains), counts]));
}

/** A statement about the main chain alone has one row, and need not read the chain. */
const chainColumn = ({ byChains }: ScopeSql) =>
  sql<number | null>`${byChains<null | typeof domain.chainId>({ main: null, several: domain.chainId })}`;

const ownedCounts = forEachOwner((role) =>
  statementOf((of, db) =>
    db
      .select({
        chainId: chainColumn(of),
        total: sql<number>`count(*)::int`,
        ...countsOf(parametersOf(of)),
      })
      .from(domain)
      .where(isOwned(role, parametersOf(of)))
      .groupBy(...of.byChains({ main: [], several: [domain.chainId] }))
      .prepare(of.title(`held_count_${role}`)),
  ),
);

type Counted = { at: AddressAt; filters: NameFilters };

/** A name that is in several parts counts once. */
async function countParts(
  db: Db,
  parts: readonly Part[],
  { at, filters }: Counted,
): Promise<Map<number, HeldCounts>> {
  if (parts.length === 0) return new Map();
  const filter = filterCondition(filters, at);
  const { active, expired, expiring30d } = sortsOf({ of: sqlOf(at.chains), now: at.now });
  const each = parts.map(
    ({ from, where }): SQL => sql`(select ${domain.chainId} as chain_id, ${domain.node} as node,
      ${active} as active, ${expired} as expired, ${expiring30d} as expiring from ${from} where ${and(where, filter)})`,
  );
  const { rows } = await db.execute<HeldCounts & { chainId: number }>(sql`
    select chain_id as "chainId", count(*)::int as total, (count(*) filter (where active))::int as active,
      (count(*) filter (where expired))::int as expired, (count(*) filter (where expiring))::int as "expiring30d"
    from (${sql.join(each, sql` union `)}) as name group by chain_id`);
  return new Map(rows.map(({ chainId, ...counts }) => [chainId, counts]));
}
