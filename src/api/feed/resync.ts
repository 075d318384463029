import type { SQL } from "drizzle-orm";
import { sql } from "ponder";
import type { Db } from "../postgres/db.ts";
import { valuesOf } from "./compare.ts";
import { type ChangeFilters, isWanted } from "./filters.ts";
import type { ChangeRow, FeedState } from "./rows.ts";
import type { Row, Source } from "./source.ts";
import { keySql, rowSql, sources } from "./sources.ts";

/** Rows of one name that are given at once; a name that has more is read by its lists. */
export const MAX_RESYNCED = 1_000;

/** What finds the rows `t` of a node: an index by node, or by resolver where there is none. Other sources are of no name. */
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

/**
 * What a reader of one name can hold of it now, as changes at the newest position: for a reader whose position is gone. The state
 * of the feed is read before: what changed since comes again after its position, with the same value.
 *
 * @returns null if the name has too many values
 */
export async function readStateOf(
  db: Db,
  { node, feed, filters }: { node: string; feed: FeedState; filters: ChangeFilters },
): Promise<ChangeRow[] | null> {
  const parts = Object.entries(byNode).map(([table, rows]) => {
    const source = sources.get(table) as Source;
    return sql`(select ${sql.raw(`'${table}' as "table", ${keySql(source, "t")} as key, ${rowSql(source, "t")} as row,
      t.chain_id as "chainId"`)} from ${sql.raw(table)} t where ${rows(node)} limit ${MAX_RESYNCED + 1})`;
  });
  const { rows } = await db.execute(sql`
    select f.*, (select full_name from domains where node = ${node} order by chain_id = f."chainId" desc limit 1) as name
    from (${sql.join(parts, sql` union all `)}) f`);
  if (rows.length > MAX_RESYNCED) return null;
  const found = rows as Found[];
  return found.flatMap((one) => changesOf(one, feed)).filter((row) => isWanted(row, filters));
}

/** The values of a row, each as the change that made it of nothing. */
function changesOf({ table, key, row, chainId, name }: Found, { newest, blocks }: FeedState): ChangeRow[] {
  const source = sources.get(table) as Source;
  const block = blocks.find((one) => one.chainId === chainId);
  if (block === undefined) return [];
  const { node = null, resolver = null, addresses, details } = source.about(key, row);
  return [...valuesOf(source, row)].map(([slot, value]): ChangeRow => {
    const type = source.slots[slot]?.type(null, value) ?? "";
    return {
      ...{
        number: newest,
        state: "now" as const,
        type,
        chainId,
        source: table,
        slot,
        key,
        node,
        name,
        resolver,
      },
      ...{ addresses: addresses.flatMap((address) => address ?? []), details },
      ...{ blockNumber: block.number, blockHash: block.hash, blockTimestamp: block.timestamp },
      ...{ transactionHash: null, logIndex: null, oldValue: null, newValue: value, takenBack: null },
    };
  });
}
