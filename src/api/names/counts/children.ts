import { domain } from "ponder:schema";
import { and, eq, sql } from "ponder";
import type { Hex } from "viem";
import type { Db } from "../../server/postgres/db.ts";
import { type DomainPage, preparedPages } from "../query/domainPages.ts";
import type { PageRequest } from "../query/page.ts";
import type { Scope, ScopeSql } from "../query/scope.ts";
import { childCount } from "./childCounts.ts";

const { placeholder } = sql;

/** A node whose children are listed, on some chains. */
type ParentOf = { chains: Scope; node: Hex; now: number };

const isChild = ({ holds }: ScopeSql) =>
  and(holds(domain.chainId), eq(domain.parentNode, placeholder("node")));

const children = preparedPages<{ node: Hex; now: number }>({
  name: "children",
  where: isChild,
  countAll: (db, chains, { node }) => childCount.read(db, { chains, node }),
});

/** A page of the names right under a node. */
export const listChildren = (db: Db, page: PageRequest, { chains, ...of }: ParentOf): Promise<DomainPage> =>
  children(db, chains, { page, ...of });
