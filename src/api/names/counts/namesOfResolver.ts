import { domain } from "ponder:schema";
import { and, eq } from "ponder";
import type { Address } from "viem";
import type { Db } from "../../server/postgres/db.ts";
import { type DomainPage, domainsWhere, listDomainPage } from "../query/domainLists.ts";
import type { PageRequest } from "../query/page.ts";
import { type Scope, sqlOf } from "../query/scope.ts";
import { toSql } from "../rules/conditionSql.ts";
import { isCounted } from "../rules/nameRules.ts";
import { searchTotals } from "./searchTotals.ts";

/** A page of the names with this resolver, including expired ones. */
export function listNamesOfResolver(
  db: Db,
  page: PageRequest,
  { chains, resolver, now }: { chains: Scope; resolver: Address; now: number },
): Promise<DomainPage> {
  const where = and(sqlOf(chains).holds(domain.chainId), eq(domain.resolver, resolver), toSql(isCounted));
  const count = async () => (await searchTotals.read(db, { chains, now, filters: { resolver } })).total;
  return listDomainPage(db, { chains, now, page, parts: [domainsWhere(where)], count });
}
