import { domain } from "ponder:schema";
import type { SQL } from "drizzle-orm";
import { and, eq, sql } from "ponder";
import { all } from "../../../../ens/condition.ts";
import type { Db } from "../../../server/postgres/db.ts";
import { toSql } from "../../rules/conditionSql.ts";
import { isOfRegistrar } from "../../rules/nameRules.ts";
import { type DomainRow, selectDomains, toRow } from "../domains.ts";
import { sqlOf } from "../scope.ts";
import { type AddressAt, isOwned } from "./ownerConditions.ts";

/**
 * Names in an address's calendar. 500 names have 1,500 events, which fit into an answer whatever the names are. Few people have
 * more names; they see those that end first.
 */
export const MAX_ENDING = 500;

/**
 * The names of an owner whose registration, grace or premium has yet to end. Names of registrars, which cost money, come first,
 * because anyone can give an address subnames that end soon. One index contains all columns that select the names.
 */
export async function listEnding(
  db: Db,
  holder: AddressAt,
): Promise<{ rows: DomainRow[]; condition: SQL | undefined }> {
  const { rule, life } = sqlOf(holder.chains);
  const hasEnd = rule(all(life.inPhase("registered", "grace", "premium"), life.hasEnd));
  // A registration in ENSv2 also ends when the path to the name does; that column is null if the path does not end.
  const order = [
    sql`least(${domain.expiryTimestamp}, ${domain.pathExpiryTimestamp})`,
    domain.node,
    domain.chainId,
  ];
  const condition = and(isOwned(holder), toSql(hasEnd, holder.now));
  const first = db
    .select({ chainId: domain.chainId, node: domain.node })
    .from(domain)
    .where(condition)
    .orderBy(sql`${toSql(rule(isOfRegistrar))} desc`, ...order)
    .limit(MAX_ENDING)
    .as("first");
  const rows = await selectDomains(db, {})
    .innerJoin(first, and(eq(domain.chainId, first.chainId), eq(domain.node, first.node)))
    .orderBy(...order);
  return { rows: rows.map(toRow), condition };
}
