import type { SQL } from "drizzle-orm";
import { sql } from "ponder";
import type { Db } from "../../server/postgres/db.ts";
import { mark } from "./batch.ts";
import { valuesOf } from "./compare.ts";
import { type ChangeFilters, isWanted } from "./filters.ts";
import type { ChangeRow, FeedBlock, FeedState } from "./rows.ts";
import type { Row, Source } from "./source.ts";
import { keySql, rowSql, sources } from "./sources.ts";

/** Rows of one name that are given at once, and their bytes; a name that has more is read by its lists. */
export const MAX_RESYNCED = 1_000;
export const MAX_RESYNCED_BYTES = 8 * 2 ** 20;

/** The condition for rows `t` of a node: an index by node, or by resolver. Other sources belong to no name. */
const byNode: Readonly<Record<string, (node: string) => SQL>> = {
  domains: (node) => sql`t.node = ${node}`,
  resolver_nodes: (node) => sql`t.node = ${node}`,
  text_records: (node) => sql`t.node = ${node}`,
  address_records: (node) => sql`t.node = ${node}`,
  agent_bindings: (node) => sql`t.node = ${node}`,
  ensv2_links: (node) => sql`t.node = ${node} and (t.chain_id, t.resolver) in (
    select chain_id, resolver from domains where node = ${node} and resolver is not null
    union select chain_id, resolver from resolver_nodes where node = ${node})`,
};

type Found = { table: string; key: string[]; row: Row; chainId: number; name: string | null };

type Plan = { node: string; feed: FeedState; filters: ChangeFilters };

/**
 * What a reader of one name begins again with, where its position is gone: a marker that it has to forget what it holds of the
 * name, each value as it is now, and the end of the block.
 *
 * @returns null if the name has too many values, or the feed has no block yet
 */
export async function readResync(db: Db, plan: Plan): Promise<ChangeRow[] | null> {
  const [block] = plan.feed.blocks;
  const values = await readStateOf(db, plan);
  if (values === null || block === undefined) return null;
  return [rowNow(plan.feed, block, "feed.resync"), ...values, rowNow(plan.feed, block, "block.ended")];
}

/**
 * What a reader of one name can hold of it now, as changes at the newest position. The state of the feed is read before: what
 * changed since comes again after its position, with the same value.
 *
 * @returns null if the name has too many values, or too large ones
 */
export async function readStateOf(db: Db, { node, feed, filters }: Plan): Promise<ChangeRow[] | null> {
  const parts = Object.entries(byNode).map(([table, rows]) => {
    const source = sources.get(table) as Source;
    return sql`(select ${sql.raw(`'${table}' as "table", ${keySql(source, "t")} as key, ${rowSql(source, "t")} as row,
      t.chain_id as "chainId"`)} from ${sql.raw(table)} t where ${rows(node)} limit ${MAX_RESYNCED + 1})`;
  });
  const { rows } = await db.execute(sql`
    select f.*, (select full_name from domains where node = ${node} order by chain_id = f."chainId" desc limit 1) as name
    from (
      select "table", key, "chainId", bytes, case when bytes <= ${MAX_RESYNCED_BYTES} then row end as row
      from (select *, sum(pg_column_size(row)) over () as bytes from (${sql.join(parts, sql` union all `)}) p) s) f`);
  if (rows.length > MAX_RESYNCED || Number(rows[0]?.bytes) > MAX_RESYNCED_BYTES) return null;
  const found = rows as Found[];
  return found.flatMap((one) => changesOf(one, feed)).filter((row) => isWanted(row, filters));
}

/** The values of a row, each as the change that made it of nothing. */
function changesOf({ table, key, row, chainId, name }: Found, feed: FeedState): ChangeRow[] {
  const source = sources.get(table) as Source;
  const block = feed.blocks.find((one) => one.chainId === chainId);
  if (block === undefined) return [];
  const { node = null, resolver = null, addresses, details } = source.about(key, row);
  return [...valuesOf(source, row)].map(([slot, value]): ChangeRow => {
    return {
      ...rowNow(feed, block, source.slots[slot]?.type(null, value) ?? ""),
      source: table,
      slot,
      key,
      node,
      name,
      resolver,
      details,
      newValue: value,
      addresses: addresses.flatMap((address) => address ?? []),
    };
  });
}

/** A row without a change: a present value at the newest position. */
const rowNow = ({ newest }: FeedState, block: FeedBlock, type: string): ChangeRow => ({
  ...mark(type, block),
  number: newest,
  state: "now",
  chainId: block.chainId,
  takenBack: null,
});
