import { domain } from "ponder:schema";
import type { SQL } from "drizzle-orm";
import { and, eq, sql } from "ponder";
import type { Hex } from "viem";
import type { Db } from "../../server/postgres/db.ts";
import { withQuickRows } from "../../server/postgres/quickRows.ts";
import { type DomainRow, selectDomains, toRow } from "./domains.ts";
import { afterValues, positionOf, type RangeName, rangeOf, rangesFrom, readRanges } from "./keyset.ts";
import { inForms, type ListForm, shortOf } from "./listStatements.ts";
import {
  cutPage,
  domainKeys,
  isNullable,
  limitOf,
  offsetOf,
  type Page,
  type PageRequest,
  preparedLimitOf,
  totalOfLast,
} from "./page.ts";
import { type Scope, type ScopeSql, statementOf } from "./scope.ts";

/** A page of domains, and their total number. */
export type DomainPage = Page<DomainRow>;

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
 * order and range.
 */
export function preparedPages<Values extends { now: number }>(list: List<Values>) {
  const { name, where, countAll } = list;
  const statementFor = inForms(
    (form: Form, title) => preparedRange(`${name}_${title}`, { ...list, ...form }),
    (form) => `${form.sortBy[0]}${shortOf(form)}`,
  );
  const readTotal = countAll ?? preparedTotal<Values>(name, where);
  return async (
    db: Db,
    scope: Scope,
    { page, ...rest }: Values & { page: PageRequest },
  ): Promise<DomainPage> => {
    const values = rest as unknown as Values;
    const counting = page.isCounted && !countAll ? ("with the page" as const) : ("apart" as const);
    const form = { sortBy: page.sortBy, direction: page.sortDir, limit: preparedLimitOf(page), counting };
    const given = { ...values, ...afterValues(page.after), offset: offsetOf(page) };
    const ranges = rangesOf(page);
    const read = await readRanges(ranges, form.limit, (range) =>
      statementFor({ ...form, range })(db, scope, given),
    );
    const found = read.slice(0, limitOf(page));
    const { rows, next } = cutPage(found, page);
    const countNow = async () => found[0]?.total ?? (await readTotal(db, scope, values));
    const total = page.isCounted ? (totalOfLast(found, page) ?? (await countNow())) : null;
    return { total, rows: rows.map(toRow), next };
  };
}

/** An index has the nulls last in one direction only: in the other a first page is read in two parts. Later ones count rows. */
function rangesOf(page: PageRequest): RangeName[] {
  const isInOrder = page.sortDir === "asc" || offsetOf(page) > 0;
  return page.after === undefined && isInOrder ? ["all"] : rangesFrom(isNullable(page), page.after);
}

/** Makes a function that counts the rows of a list. */
function preparedTotal<Values extends Record<string, unknown>>(name: string, where: Which) {
  const count = statementOf((of, db) => totalOf(db, where(of)).prepare(of.title(`${name}_total`)));
  return async (db: Db, scope: Scope, values: Values): Promise<number> =>
    (await count(db, scope, values))[0]?.total ?? 0;
}

/** What tells the statements of a list from each other. */
type Form = ListForm & Pick<PageRequest, "sortBy">;

const preparedRange = (
  name: string,
  {
    where,
    nameInOrder,
    sortBy,
    direction,
    range,
    limit,
    counting,
  }: Pick<List<never>, "where" | "nameInOrder"> & Form,
) =>
  statementOf((of, db) => {
    const keys = domainKeys({ sortBy, sortDir: direction, nameInOrder }, sql.placeholder("now"), of);
    const listed = rangeOf(keys, range);
    const page = db
      .select({ chainId: domain.chainId, node: domain.node })
      .from(domain)
      .where(and(where(of), listed.where))
      .orderBy(...listed.order)
      .limit(limit)
      .offset(sql.placeholder("offset"))
      .as("page");
    const counted = counting === "with the page" ? totalOf(db, where(of)) : null;
    return withQuickRows(
      selectDomains(db, {
        total: sql<number | null>`${counted}`.as("total"),
        position: positionOf(keys),
      })
        .innerJoin(page, and(eq(domain.chainId, page.chainId), eq(domain.node, page.node)))
        .orderBy(...listed.order)
        .prepare(of.title(name)),
    );
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
