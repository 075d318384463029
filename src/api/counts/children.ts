import { domain } from "ponder:schema";
import { and, eq, sql } from "ponder";
import type { Hex } from "viem";
import { type Chains, chainValues, forEachReach, isOfAskedChains, type Reach } from "../query/chains.ts";
import type { Db } from "../query/db.ts";
import { type DomainPage, preparedPages } from "../query/domainPages.ts";
import type { PageRequest } from "../query/page.ts";
import { MOMENT, preparedCounts } from "./counters.ts";

const { placeholder } = sql;

/** A node whose children are asked for, on some chains. */
type ParentOf = { chains: Chains; node: Hex };

/** How many names are right under a node. */
export const countChildrenFromCounters = (db: Db, { chains, node }: ParentOf): Promise<number | null> =>
  countChildren(chains.reach)(db, { ...chainValues(chains), node });

const countChildren = (reach: Reach) => async (db: Db, values: ChildValues) => {
  const counts = await childNames[reach](db, values);
  return counts?.count ?? null;
};

type ChildValues = ReturnType<typeof chainValues> & { node: Hex };

const childNames = forEachReach((reach) =>
  preparedCounts(
    reach === "main" ? "children" : "children_several",
    ["count"],
    sql`select ${sql.raw(MOMENT)} as moment, coalesce(sum(all_time), 0)::int as count
    from figures_parents where ${isOfAskedChains(sql`chain_id`, reach)} and parent_node = ${placeholder("node")}`,
  ),
);

const children = forEachReach((reach) =>
  preparedPages<ChildValues & { now: number }>({
    name: reach === "main" ? "children" : "children_several",
    where: and(isOfAskedChains(domain.chainId, reach), eq(domain.parentNode, placeholder("node"))),
    reach,
    countAll: countChildren(reach),
  }),
);

/** A page of the names right under a node. */
export const listChildren = (
  db: Db,
  page: PageRequest,
  { chains, ...of }: ParentOf & { now: number },
): Promise<DomainPage> => children[chains.reach](db, page, { ...chainValues(chains), ...of });
