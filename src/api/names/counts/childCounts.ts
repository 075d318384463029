import { domain } from "ponder:schema";
import { and, sql } from "ponder";
import type { Hex } from "viem";
import { type Scope, type ScopeSql, statementOf } from "../query/scope.ts";
import { type Count, countOf } from "./count.ts";
import { ifCounted, momentOf } from "./counters.ts";

const { placeholder } = sql;

const wanted = sql`${placeholder("nodes")}::text[]`;

type ChildCount = { node: Hex; count: number };

const counters = statementOf((of, db) =>
  db
    .select({
      moment: momentOf(of),
      node: sql<Hex>`wanted.node`,
      count: sql<number>`coalesce((select sum(parent.all_time) from figures_parents parent
        where parent.parent_node = wanted.node and ${of.holds(sql`parent.chain_id`)}), 0)::int`,
    })
    .from(sql`unnest(${wanted}) as wanted (node)`)
    .prepare(of.title("counters_children")),
);

/**
 * Number of direct subnames of a row of `domains` on the main chain, for a statement on such rows; null if the counters do not
 * hold.
 */
export const childCountOfRow = (of: ScopeSql) =>
  sql<number | null>`case when ${momentOf(of)} is not null then coalesce((
    select parent.all_time from figures_parents parent
    where parent.parent_node = ${domain.node} and ${of.holds(sql`parent.chain_id`)}), 0)::int end`;

const rows = statementOf((of, db) =>
  db
    .select({ node: sql<Hex>`${domain.parentNode}`, count: sql<number>`count(*)::int` })
    .from(domain)
    .where(and(of.holds(domain.chainId), sql`${domain.parentNode} = any(${wanted})`))
    .groupBy(domain.parentNode)
    .prepare(of.title("children_total")),
);

const toMap = (counts: readonly ChildCount[]): ReadonlyMap<Hex, number> =>
  new Map(counts.flatMap(({ node, count }) => (count > 0 ? [[node, count] as const] : [])));

type ParentsOf = { chains: Scope; nodes: readonly Hex[] };

/** Number of direct subnames by node. A node without subnames is missing. */
export const childCounts: Count<ParentsOf, ReadonlyMap<Hex, number>> = countOf({
  fromCounters: async (db, { chains, nodes }) => {
    const counts = await ifCounted<ChildCount>(() => counters(db, chains, { nodes }));
    return counts && toMap(counts);
  },
  fromRows: async (db, { chains, nodes }) => toMap(await rows(db, chains, { nodes })),
});
