import { domain } from "ponder:schema";
import { and, eq, sql } from "ponder";
import type { Hex } from "viem";
import type { Db } from "../postgres/db.ts";
import { type DomainPage, preparedPages, preparedTotal } from "../query/domainPages.ts";
import type { PageRequest } from "../query/page.ts";
import type { Scope, ScopeSql } from "../query/scope.ts";
import { type Count, countOf } from "./count.ts";
import { momentOf, preparedCounts } from "./counters.ts";

const { placeholder } = sql;

/** A node whose children are listed, on some chains. */
type ParentOf = { chains: Scope; node: Hex; now: number };

const isChild = ({ holds }: ScopeSql) =>
  and(holds(domain.chainId), eq(domain.parentNode, placeholder("node")));

const counters = preparedCounts(
  "children",
  ["count"],
  (of) => sql`select ${momentOf(of)} as moment, coalesce(sum(all_time), 0)::int as count
    from figures_parents where ${of.holds(sql`chain_id`)} and parent_node = ${placeholder("node")}`,
);

const total = preparedTotal<{ node: Hex }>("children", isChild);

/** How many names are right under a node. */
export const childCount: Count<{ chains: Scope; node: Hex }, number> = countOf({
  fromCounters: async (db, { chains, node }) => (await counters(db, chains, { node }))?.count ?? null,
  fromRows: (db, { chains, node }) => total(db, chains, { node }),
});

const children = preparedPages<{ node: Hex; now: number }>({
  name: "children",
  where: isChild,
  countAll: (db, chains, { node }) => childCount.read(db, { chains, node }),
});

/** A page of the names right under a node. */
export const listChildren = (db: Db, page: PageRequest, { chains, ...of }: ParentOf): Promise<DomainPage> =>
  children(db, chains, { page, ...of });
