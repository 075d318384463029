import { domain } from "ponder:schema";
import type { SQL } from "drizzle-orm";
import { and, eq, sql } from "ponder";
import type { Hex } from "viem";
import type { Db } from "../postgres/db.ts";
import { type DomainRow, selectDomains, toRow } from "./domains.ts";
import { offsetOf, orderOf, PAGE_SIZE, type PageRequest } from "./page.ts";
import { type Scope, type ScopeSql, statementOf } from "./scope.ts";

/** A page of domains, and their total number. */
export type DomainPage = { total: number; rows: DomainRow[] };

/** A list of domains in the order of an index. */
type List<Values> = {
  /** Of the prepared statements; each list has its own. */
  name: string;
  /** Which domains. Values that differ between requests are placeholders; `Values` fills them. */
  where: Which;
  /** The name by which a list is sorted by name; that of the row unless given. */
  nameInOrder?: SQL | undefined;
  /** Gives the total. Without this function it is counted with each page. */
  countAll?: (db: Db, scope: Scope, values: Values) => Promise<number>;
};

type Which = (of: ScopeSql) => SQL | undefined;

/**
 * Makes a function that reads pages of a list with its total, mostly by one statement, which is prepared for each
 * order.
 */
export function preparedPages<Values extends { now: number }>(list: List<Values>) {
  const { name, where, nameInOrder, countAll } = list;
  const pages = new Map<string, ReturnType<typeof preparedPage>>();
  const pageOf = (order: Order) => {
    const title = `${name}_${order.sortBy}_${order.sortDir}`;
    const page =
      pages.get(title) ??
      preparedPage(title, { where, order, nameInOrder, total: countAll ? "apart" : "with the page" });
    pages.set(title, page);
    return page;
  };
  const readTotal = countAll ?? preparedTotal<Values>(name, where);
  return async (
    db: Db,
    scope: Scope,
    { page, ...rest }: Values & { page: PageRequest },
  ): Promise<DomainPage> => {
    const values = rest as unknown as Values;
    const offset = offsetOf(page.page);
    const found = await pageOf(page)(db, scope, { ...values, offset });
    // A page that is not full is the last one: its offset and rows give the total. An empty page after it gives
    // nothing.
    const isLast = found.length < PAGE_SIZE && (found.length > 0 || offset === 0);
    const total = isLast ? offset + found.length : (found[0]?.total ?? (await readTotal(db, scope, values)));
    return { total, rows: found.map(toRow) };
  };
}

/** Makes a function that counts the rows of a list. */
export function preparedTotal<Values extends Record<string, unknown>>(name: string, where: Which) {
  const count = statementOf((of, db) => totalOf(db, where(of)).prepare(of.title(`${name}_total`)));
  return async (db: Db, scope: Scope, values: Values): Promise<number> =>
    (await count(db, scope, values))[0]?.total ?? 0;
}

type Order = Omit<PageRequest, "page">;

const preparedPage = (
  name: string,
  {
    where,
    order,
    nameInOrder,
    total,
  }: Pick<List<never>, "where" | "nameInOrder"> & { order: Order; total: "with the page" | "apart" },
) =>
  statementOf((of, db) => {
    const terms = orderOf({ ...order, nameInOrder }, sql.placeholder("now"), of);
    const page = db
      .select({ chainId: domain.chainId, node: domain.node })
      .from(domain)
      .where(where(of))
      .orderBy(...terms)
      .limit(PAGE_SIZE)
      .offset(sql.placeholder("offset"))
      .as("page");
    const counted = total === "with the page" ? totalOf(db, where(of)) : null;
    return selectDomains(db, { total: sql<number | null>`${counted}`.as("total") })
      .innerJoin(page, and(eq(domain.chainId, page.chainId), eq(domain.node, page.node)))
      .orderBy(...terms)
      .prepare(of.title(name));
  });

const totalOf = (db: Db, where: SQL | undefined) =>
  db.select({ total: sql<number>`count(*)::int` }).from(domain).where(where);

const hasLabel: Which = (of) => and(of.holds(domain.chainId), eq(domain.labelhash, sql.placeholder("hash")));

const labelled = preparedPages<{ hash: Hex; now: number }>({ name: "labelled", where: hasLabel });

/** A name with the label as it is shown; the index may have its hash alone, and names by node have no label. */
const shownName = sql`case when ${domain.fullName} like '[namehash:%' then ${domain.fullName}
  else ${sql.placeholder("label")}::text || substr(${domain.fullName}, length(${domain.label}) + 1) end`;

const labelledByName = preparedPages<{ hash: Hex; label: string; now: number }>({
  name: "labelled_by_name",
  where: hasLabel,
  nameInOrder: shownName,
});

/** A page of the names with a labelhash, under any parent. By name they are sorted with the label that is shown. */
export const listLabelled = (
  db: Db,
  page: PageRequest,
  { chains, label, ...of }: { chains: Scope; hash: Hex; label: string; now: number },
): Promise<DomainPage> =>
  page.sortBy === "full_name"
    ? labelledByName(db, chains, { page, label, ...of })
    : labelled(db, chains, { page, ...of });
