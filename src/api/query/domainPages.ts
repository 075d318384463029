import { domain } from "ponder:schema";
import type { SQL } from "drizzle-orm";
import { and, eq, sql } from "ponder";
import type { Hex } from "viem";
import type { Db } from "../postgres/db.ts";
import { prepared } from "../postgres/prepared.ts";
import { type Chains, chainValues, forEachReach, isOfAskedChains, type Reach } from "./chains.ts";
import { type DomainRow, selectDomains, toRow } from "./domains.ts";
import { offsetOf, orderOf, PAGE_SIZE, type PageRequest } from "./page.ts";

/** A page of domains, and their total number. */
export type DomainPage = { total: number; rows: DomainRow[] };

/** A list of domains in the order of an index. */
type List<Values> = {
  /** Of the prepared statements; each list has its own. */
  name: string;
  /** Whether the main chain alone is asked; else names of several chains are in one order. */
  reach?: Reach;
  /** Which domains. Values that differ between requests are placeholders; `Values` fills them. */
  where: SQL | undefined;
  /** Gives the total. Without this function it is counted with each page. */
  countAll?: (db: Db, values: Values) => Promise<number>;
};

/**
 * Makes a function that reads pages of a list with its total, mostly by one statement, which is prepared for each
 * order.
 */
export function preparedPages<Values extends { now: number }>(list: List<Values>) {
  const { name, where, reach = "main", countAll } = list;
  const pages = new Map<string, ReturnType<typeof preparedPage>>();
  const pageOf = (order: Order) => {
    const title = `${name}_${order.sortBy}_${order.sortDir}`;
    const page = pages.get(title) ?? preparedPage(title, { where, reach, order, hasTotal: !countAll });
    pages.set(title, page);
    return page;
  };
  const readTotal = countAll ?? preparedTotal<Values>(name, where);
  return async (db: Db, page: PageRequest, values: Values): Promise<DomainPage> => {
    const offset = offsetOf(page.page);
    const found = await pageOf(page)(db).execute({ ...values, offset });
    // A page that is not full is the last one: its offset and rows give the total. An empty page after it gives
    // nothing.
    const isLast = found.length < PAGE_SIZE && (found.length > 0 || offset === 0);
    const total = isLast ? offset + found.length : (found[0]?.total ?? (await readTotal(db, values)));
    return { total, rows: found.map(toRow) };
  };
}

/** Makes a function that counts the rows of a list. */
export function preparedTotal<Values extends Record<string, unknown>>(name: string, where: SQL | undefined) {
  const count = prepared((db) => totalOf(db, where).prepare(`${name}_total`));
  return async (db: Db, values: Values): Promise<number> => (await count(db).execute(values))[0]?.total ?? 0;
}

type Order = Omit<PageRequest, "page">;

const preparedPage = (
  name: string,
  {
    where,
    reach,
    order,
    hasTotal,
  }: { where: SQL | undefined; reach: Reach; order: Order; hasTotal: boolean },
) =>
  prepared((db) => {
    const terms = orderOf(order, sql.placeholder("now"), reach);
    const page = db
      .select({ chainId: domain.chainId, node: domain.node })
      .from(domain)
      .where(where)
      .orderBy(...terms)
      .limit(PAGE_SIZE)
      .offset(sql.placeholder("offset"))
      .as("page");
    const total = sql<number | null>`${hasTotal ? totalOf(db, where) : null}`.as("total");
    return selectDomains(db, { total })
      .innerJoin(page, and(eq(domain.chainId, page.chainId), eq(domain.node, page.node)))
      .orderBy(...terms)
      .prepare(name);
  });

const totalOf = (db: Db, where: SQL | undefined) =>
  db.select({ total: sql<number>`count(*)::int` }).from(domain).where(where);

const labelled = forEachReach((reach) =>
  preparedPages<ReturnType<typeof chainValues> & { hash: Hex; now: number }>({
    name: reach === "main" ? "labelled" : "labelled_several",
    where: and(isOfAskedChains(domain.chainId, reach), eq(domain.labelhash, sql.placeholder("hash"))),
    reach,
  }),
);

/** A page of the names with a labelhash, under any parent. */
export const listLabelled = (
  db: Db,
  page: PageRequest,
  { chains, ...of }: { chains: Chains; hash: Hex; now: number },
): Promise<DomainPage> => labelled[chains.reach](db, page, { ...chainValues(chains), ...of });
