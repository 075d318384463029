import { domain } from "ponder:schema";
import type { SQL } from "drizzle-orm";
import { and, sql } from "ponder";
import type { Db } from "../postgres/db.ts";
import { toSql } from "../rules/conditionSql.ts";
import { isCounted } from "../rules/nameRules.ts";
import { type DomainsInOrder, listInOrder, type OnePass } from "./domains.ts";
import { canBeNull, type Position, positionOf, rangeOf, rangesFrom, termsOf, valuesAt } from "./keyset.ts";
import { cutPage, domainKeys, limitOf, offsetOf, type SortColumn } from "./page.ts";
import { sqlOf } from "./scope.ts";

/** Names that are looked at in the order of a list, one after the other: some 30 ms of work. */
export const MOST_WALKED = 20_000;

/** Orders in which an index has the names that count, and hardly others. */
const walked: readonly SortColumn[] = ["full_name", "expiry_timestamp"];

/**
 * A page of the domains that meet a condition, found by looking at names in the order of the list until enough meet it. That takes
 * less than finding all where many do. Null where it does not find the page: the condition can be met by names that all lie together.
 *
 * @param total how many of all `names` meet the condition
 */
export async function walkToPage(
  db: Db,
  { chains, where, page, now }: OnePass,
  { total, names }: { total: number; names: number },
): Promise<DomainsInOrder | null> {
  if (!walked.includes(page.sortBy)) return null;
  const wanted = offsetOf(page) + limitOf(page);
  // Where names that meet it are spread evenly, half of what is looked at is enough.
  if (wanted * names > (total * MOST_WALKED) / 2) return null;
  const of = sqlOf(chains);
  const keys = domainKeys(page, now, of);
  const [name] = rangesFrom(canBeNull(keys), page.after);
  if (name === undefined || name === "nulls" || name === "nulls_after") return null;
  const range = rangeOf(keys, name, valuesAt(page.after));
  const terms = keys.flatMap((key) => termsOf(key).map((term) => ({ term, direction: key.direction })));
  const column = (i: number) => sql.identifier(`walk_${i}`);
  const isWalked = and(of.holds(domain.chainId), toSql(isCounted), range.where);
  const ofWalk = sql`from ${domain} where ${isWalked} order by ${sql.join(range.order, sql`, `)} limit ${MOST_WALKED}`;
  const columns = terms.map(({ term }, i) => sql`${term} as ${column(i)}`);
  const order = terms.map(({ direction }, i) => sql`${column(i)} ${sql.raw(direction)}`);
  const { rows: read } = await db.execute<{ position: Position }>(sql`
    select position from (
      select ${positionOf(keys).sql} as position, (${where}) as is_met, ${sql.join(columns, sql`, `)} ${ofWalk}
    ) as walked where is_met
    order by ${sql.join(order, sql`, `)} limit ${limitOf(page)} offset ${offsetOf(page)}`);
  if (read.length < limitOf(page) && !(await isLast(db, ofWalk, canBeNull(keys)))) return null;
  const { rows: listed, next } = cutPage(read, page);
  const keyed = listed.map(({ position: [, node, chainId = chains.ids[0]] }) => ({
    ...{ chainId: Number(chainId), node: node as `0x${string}` },
  }));
  return { rows: await listInOrder(db, keyed), next };
}

/** Whether a walk came to the end of the list: so a last page is found as the first one is. */
async function isLast(db: Db, ofWalk: SQL, hasNulls: boolean): Promise<boolean> {
  if (hasNulls) return false;
  const { rows } = await db.execute<{ names: number }>(
    sql`select count(*)::int as names from (select ${domain.node} ${ofWalk}) as walked`,
  );
  return (rows[0]?.names ?? MOST_WALKED) < MOST_WALKED;
}
