import { domain } from "ponder:schema";
import { and, eq, sql } from "ponder";
import type { Address } from "viem";
import type { Db } from "../../server/postgres/db.ts";
import { type DomainPage, preparedPages } from "../query/domainPages.ts";
import type { PageRequest } from "../query/page.ts";
import type { Scope } from "../query/scope.ts";
import { toSql } from "../rules/conditionSql.ts";
import { isCounted } from "../rules/nameRules.ts";
import { searchTotals } from "./searchTotals.ts";

type NamesOf = { chains: Scope; resolver: Address; now: number };

const names = preparedPages<{ resolver: Address; now: number }>({
  name: "names_of_resolver",
  where: ({ holds }) =>
    and(holds(domain.chainId), eq(domain.resolver, sql.placeholder("resolver")), toSql(isCounted)),
  countAll: async (db, chains, { resolver, now }) =>
    (await searchTotals.read(db, { chains, now, filters: { resolver } })).total,
});

/** A page of the names whose resolver an address is, also of expired ones. */
export const listNamesOfResolver = (
  db: Db,
  page: PageRequest,
  { chains, ...of }: NamesOf,
): Promise<DomainPage> => names(db, chains, { page, ...of });
