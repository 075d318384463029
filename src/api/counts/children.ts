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
import { type DomainPage, preparedPages, preparedTotal } from "../query/domainPages.ts";
import type { PageRequest } from "../query/page.ts";
import { countOf } from "./count.ts";
import { momentOf, preparedCounts } from "./counters.ts";

const { placeholder } = sql;

/** A node whose children are listed, on some chains. */
type ParentOf = { chains: Chains; node: Hex; now: number };

type ChildValues = ReturnType<typeof chainValues> & { node: Hex };

/** How many names are right under a node. */
export const childCount = forEachForm((form) => {
  const counters = preparedCounts(
    titleOf("children", form),
    ["count"],
    sql`select ${momentOf(form)} as moment, coalesce(sum(all_time), 0)::int as count
    from figures_parents where ${isOfAskedChains(sql`chain_id`, form.reach)} and parent_node = ${placeholder("node")}`,
  );
  return countOf<ChildValues, number>({
    fromCounters: async (db, values) => (await counters(db, values))?.count ?? null,
    fromRows: preparedTotal(titleOf("children", form), isChild(form)),
  });
});

const isChild = ({ reach }: Form) =>
  and(isOfAskedChains(domain.chainId, reach), eq(domain.parentNode, placeholder("node")));

const children = forEachForm((form) =>
  preparedPages<ChildValues & { now: number }>({
    name: titleOf("children", form),
    where: isChild(form),
    reach: form.reach,
    countAll: childCount(form).read,
  }),
);

/** A page of the names right under a node. */
export const listChildren = (db: Db, page: PageRequest, { chains, ...of }: ParentOf): Promise<DomainPage> =>
  children(chains)(db, page, { ...chainValues(chains), ...of });
