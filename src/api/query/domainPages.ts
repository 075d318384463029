import { domain } from "ponder:schema";
import type { SQL } from "drizzle-orm";
import { and, eq, sql } from "ponder";
import type { Hex } from "viem";
import { countKeptChildren } from "../counts/searchTotals.ts";
import type { Db } from "./db.ts";
import { type DomainRow, selectDomains, toRow } from "./domains.ts";
import { offsetOf, orderOf, PAGE_SIZE, type PageRequest } from "./page.ts";
import { prepared } from "./prepared.ts";

/** A page of domains, and how many there are in all. */
export type DomainPage = { total: number; rows: DomainRow[] };

/** A list of domains that an index has in their order. */
type List<Values> = {
  /** Of the statements; no two lists may share one. */
  name: string;
  /** Which domains; what differs from question to question stands there as placeholders, which `Values` are for. */
  where: SQL | undefined;
  /** How many there are, where counts are kept; null while they are not. Without it they are counted with each page. */
  keptTotal?: (db: Db, values: Values) => Promise<number | null>;
};

/** Asks for pages of a list with its total: by one statement for each order, and most often by nothing else. */
export function preparedPages<Values extends { now: number }>({ name, where, keptTotal }: List<Values>) {
  const pages = new Map<string, ReturnType<typeof preparedPage>>();
  const pageOf = (order: Order) => {
    const title = `${name}_${order.sortBy}_${order.sortDir}`;
    const page = pages.get(title) ?? preparedPage(title, { where, order, isCounted: !keptTotal });
    pages.set(title, page);
    return page;
  };
  const count = prepared((db) => totalOf(db, where).prepare(`${name}_total`));
  const countAll = async (db: Db, values: Values): Promise<number> =>
    (await keptTotal?.(db, values)) ?? (await count(db).execute(values))[0]?.total ?? 0;
  return async (db: Db, page: PageRequest, values: Values): Promise<DomainPage> => {
    const offset = offsetOf(page.page);
    const found = await pageOf(page)(db).execute({ ...values, offset });
    // A page that is not full is the last one, and tells by its place how many there are; one behind it tells nothing.
    const isLast = found.length < PAGE_SIZE && (found.length > 0 || offset === 0);
    const total = isLast ? offset + found.length : (found[0]?.total ?? (await countAll(db, values)));
    return { total, rows: found.map(toRow) };
  };
}

type Order = Omit<PageRequest, "page">;

const preparedPage = (
  name: string,
  { where, order, isCounted }: { where: SQL | undefined; order: Order; isCounted: boolean },
) =>
  prepared((db) => {
    const terms = orderOf(order, sql.placeholder("now"));
    const page = db
      .select({ chainId: domain.chainId, node: domain.node })
      .from(domain)
      .where(where)
      .orderBy(...terms)
      .limit(PAGE_SIZE)
      .offset(sql.placeholder("offset"))
      .as("page");
    const total = sql<number | null>`${isCounted ? totalOf(db, where) : null}`.as("total");
    return selectDomains(db, { total })
      .innerJoin(page, and(eq(domain.chainId, page.chainId), eq(domain.node, page.node)))
      .orderBy(...terms)
      .prepare(name);
  });

const totalOf = (db: Db, where: SQL | undefined) =>
  db.select({ total: sql<number>`count(*)::int` }).from(domain).where(where);

const isOfChain = eq(domain.chainId, sql.placeholder("chainId"));

/** Pages of the names with a labelhash, under whatever parent. */
export const listLabelled = preparedPages<{ chainId: number; hash: Hex; now: number }>({
  name: "labelled",
  where: and(isOfChain, eq(domain.labelhash, sql.placeholder("hash"))),
});

/** Pages of the names right under a node. */
export const listChildren = preparedPages<{ chainId: number; node: Hex; now: number }>({
  name: "children",
  where: and(isOfChain, eq(domain.parentNode, sql.placeholder("node"))),
  keptTotal: countKeptChildren,
});
