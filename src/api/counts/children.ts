import { domain } from "ponder:schema";
import { and, eq, sql } from "ponder";
import type { Hex } from "viem";
import type { Db } from "../query/db.ts";
import { isOfChain, preparedPages } from "../query/domainPages.ts";
import { MOMENT, preparedCounts } from "./counters.ts";

const { placeholder } = sql;

/** How many names are right under a node. */
export async function countChildrenFromCounters(
  db: Db,
  { chainId, node }: { chainId: number; node: Hex },
): Promise<number | null> {
  const counts = await childNames(db, { chainId, node });
  return counts?.count ?? null;
}

const childNames = preparedCounts(
  "children",
  ["count"],
  sql`select ${sql.raw(MOMENT)} as moment, coalesce(sum(all_time), 0)::int as count
    from figures_parents where chain_id = ${placeholder("chainId")} and parent_node = ${placeholder("node")}`,
);

/** Pages of the names right under a node. */
export const listChildren = preparedPages<{ chainId: number; node: Hex; now: number }>({
  name: "children",
  where: and(isOfChain, eq(domain.parentNode, placeholder("node"))),
  countAll: countChildrenFromCounters,
});
