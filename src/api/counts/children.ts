import { domain } from "ponder:schema";
import { and, eq, sql } from "ponder";
import type { Hex } from "viem";
import type { Db } from "../postgres/db.ts";
import {
  type Chains,
  chainValues,
  type Form,
  forEachForm,
  isOfAskedChains,
  titleOf,
} from "../query/chains.ts";
import { type DomainPage, preparedPages } from "../query/domainPages.ts";
import type { PageRequest } from "../query/page.ts";
import { momentOf, preparedCounts } from "./counters.ts";

const { placeholder } = sql;

/** A node whose children are asked for, on some chains. */
type ParentOf = { chains: Chains; node: Hex };

/** How many names are right under a node. */
export const countChildrenFromCounters = (db: Db, { chains, node }: ParentOf): Promise<number | null> =>
  countChildren(chains)(db, { ...chainValues(chains), node });

const countChildren = (form: Form) => async (db: Db, values: ChildValues) => {
  const counts = await childNames(form)(db, values);
  return counts?.count ?? null;
};

type ChildValues = ReturnType<typeof chainValues> & { node: Hex };

const childNames = forEachForm((form) =>
  preparedCounts(
    titleOf("children", form),
    ["count"],
    sql`select ${momentOf(form)} as moment, coalesce(sum(all_time), 0)::int as count
    from figures_parents where ${isOfAskedChains(sql`chain_id`, form.reach)} and parent_node = ${placeholder("node")}`,
  ),
);

const children = forEachForm((form) =>
  preparedPages<ChildValues & { now: number }>({
    name: titleOf("children", form),
    where: and(isOfAskedChains(domain.chainId, form.reach), eq(domain.parentNode, placeholder("node"))),
    reach: form.reach,
    countAll: countChildren(form),
  }),
);

/** A page of the names right under a node. */
export const listChildren = (
  db: Db,
  page: PageRequest,
  { chains, ...of }: ParentOf & { now: number },
): Promise<DomainPage> => children(chains)(db, page, { ...chainValues(chains), ...of });
