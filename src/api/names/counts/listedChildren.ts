import { domain } from "ponder:schema";
import { and, eq } from "ponder";
import type { Hex } from "viem";
import type { Db } from "../../server/postgres/db.ts";
import { type DomainPage, domainsWhere, listDomainPage } from "../query/domainLists.ts";
import type { PageRequest } from "../query/page.ts";
import { type Scope, sqlOf } from "../query/scope.ts";
import { childCount } from "./childCounts.ts";

/** A page of the direct subnames of a node, on some chains. */
export function listChildren(
  db: Db,
  page: PageRequest,
  { chains, node, now }: { chains: Scope; node: Hex; now: number },
): Promise<DomainPage> {
  const where = and(sqlOf(chains).holds(domain.chainId), eq(domain.parentNode, node));
  const count = () => childCount.read(db, { chains, node });
  return listDomainPage(db, { chains, now, page, parts: [domainsWhere(where)], count });
}
