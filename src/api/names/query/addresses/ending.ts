import { domain } from "ponder:schema";
import type { SQL } from "drizzle-orm";
import { and, eq, sql } from "ponder";
import { all } from "../../../../ens/condition.ts";
import type { Db } from "../../../server/postgres/db.ts";
import { toSql } from "../../rules/conditionSql.ts";
import { isOfRegistrar } from "../../rules/nameRules.ts";
import { type DomainRow, selectDomains, toRow } from "../domains.ts";
import { sqlOf } from "../scope.ts";
import { type AddressAt, type AnyAddressAt, isOwned, runForAddress } from "./ownerConditions.ts";

/**
 * Names in a calendar of an address. 500 names have 1,500 events, which an answer has room for whatever the names are.
 * Few people have more, and those who do see the ones that end first.
 */
export const MAX_ENDING = 500;

/**
 * The names of an owner that have an end to come: of registration, grace or premium. Anyone can give an address subnames
 * that end soon: they come after names of registrars, which cost money. One index has all that decides which names are listed.
 */
export async function listEnding(
  db: Db,
  holder: AddressAt,
): Promise<{ rows: DomainRow[]; condition: SQL | undefined }> {
  const { rule, life } = sqlOf(holder.chains);
  const hasEnd = rule(all(life.inPhase("registered", "grace", "premium"), life.hasEnd));
  // A life in ENSv2 is also over when the way to the name ends: null where it has no end.
  const order = [
    sql`least(${domain.expiryTimestamp}, ${domain.pathExpiryTimestamp})`,
    domain.node,
    domain.chainId,
  ];
  const condition = (at: AnyAddressAt) => and(isOwned(at), toSql(hasEnd, at.now));
  const rows = await runForAddress(db, holder, ["ending"], (at) => {
    const first = db
      .select({ chainId: domain.chainId, node: domain.node })
      .from(domain)
      .where(condition(at))
      .orderBy(sql`${toSql(rule(isOfRegistrar))} desc`, ...order)
      .limit(MAX_ENDING)
      .as("first");
    return selectDomains(db, {})
      .innerJoin(first, and(eq(domain.chainId, first.chainId), eq(domain.node, first.node)))
      .orderBy(...order);
  });
  return { rows: rows.map(toRow), condition: condition(holder) };
}
