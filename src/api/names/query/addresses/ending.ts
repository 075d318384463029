import { domain } from "ponder:schema";
import { and, eq, sql } from "ponder";
import { all } from "../../../../ens/condition.ts";
import type { Db } from "../../../server/postgres/db.ts";
import { toSql } from "../../rules/conditionSql.ts";
import { isOfRegistrar } from "../../rules/nameRules.ts";
import { type DomainRow, selectDomains, toRow } from "../domains.ts";
import { statementOf } from "../scope.ts";
import { type AddressAt, forEachOwner, isOwned, ownerRoleOf, parametersOf, valuesOf } from "./owners.ts";

/**
 * Names in a calendar of an address. 500 names have 1,500 events, which an answer has room for whatever the names are.
 * Few people have more, and those who do see the ones that end first.
 */
export const MAX_ENDING = 500;

/**
 * The names of an owner that have an end to come: of registration, grace or premium. Anyone can give an address subnames
 * that end soon: they come after names of registrars, which cost money. One index has all that decides which names are listed.
 */
export async function listEnding(db: Db, holder: AddressAt): Promise<DomainRow[]> {
  const rows = await namesWithEnd[ownerRoleOf(holder)](db, holder.chains, valuesOf(holder));
  return rows.map(toRow);
}

/** A life in ENSv2 is also over when the way to the name ends: null where it has no end. */
const endOfLife = sql`least(${domain.expiryTimestamp}, ${domain.pathExpiryTimestamp})`;

const namesWithEnd = forEachOwner((role) =>
  statementOf((of, db) => {
    const hasEnd = toSql(
      of.rule(all(of.life.inPhase("registered", "grace", "premium"), of.life.hasEnd)),
      sql.placeholder("now"),
    );
    const isBought = toSql(of.rule(isOfRegistrar));
    const chain = of.byChains({ main: [], several: [domain.chainId] });
    const order = [endOfLife, domain.node, ...chain];
    const first = db
      .select({ chainId: domain.chainId, node: domain.node })
      .from(domain)
      .where(and(isOwned(role, parametersOf(of)), hasEnd))
      .orderBy(sql`${isBought} desc`, ...order)
      .limit(MAX_ENDING)
      .as("first");
    return selectDomains(db, {})
      .innerJoin(first, and(eq(domain.chainId, first.chainId), eq(domain.node, first.node)))
      .orderBy(...order)
      .prepare(of.title(`ending_${role}`));
  }),
);
