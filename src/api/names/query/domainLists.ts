import { domain } from "ponder:schema";
import { getTableName, type SQL } from "drizzle-orm";
import { alias, and, eq, or, sql } from "ponder";
import type { Hex } from "viem";
import type { Db } from "../../server/postgres/db.ts";
import { type DomainRow, listInOrder } from "./domains.ts";
import { orderBy, type Position, positionOf, rowsAfter } from "./keyset.ts";
import { readList, type Slice } from "./list.ts";
import {
  cutPage,
  domainKeys,
  foundKeys,
  limitOf,
  offsetOf,
  type Page,
  type PageRequest,
  sortKeyOf,
} from "./page.ts";
import { type Scope, sqlOf } from "./scope.ts";

/** Lists of domains. The first statement selects the domains of a page, the second reads them. */

/** A page of domains, the total, and the condition that selects the list's rows. */
export type DomainPage = Page<DomainRow> & { condition: SQL | undefined };

/** Domains to list: the tables that lead to them, and a condition. */
export type DomainPart = { from: SQL; where: SQL | undefined };

/** Domains that match a condition. */
export const domainsWhere = (where: SQL | undefined): DomainPart => ({ from: sql`${domain}`, where });

export type DomainList = {
  chains: Scope;
  now: number;
  page: PageRequest;
  /** Each part is read in index order where there is such an index. A domain in several parts is listed once. */
  parts: readonly DomainPart[];
  /** The name by which a list sorted by name is ordered. Defaults to the row's name. */
  nameInOrder?: SQL;
  count: () => PromiseLike<number>;
};

type Found = { chainId: number; node: Hex; position: Position };

/**
 * A page of domains. A late page by number reads only the sort keys of earlier domains; a page after a cursor reads nothing of
 * them.
 *
 * @example
 * const where = and(sqlOf(chains).holds(domain.chainId), eq(domain.parentNode, node));
 * const count = () => db.$count(domain, where);
 * return listDomainPage(db, { chains, now, page, parts: [domainsWhere(where)], count });
 */
export async function listDomainPage(
  db: Db,
  { chains, now, page, parts, nameInOrder, count }: DomainList,
): Promise<DomainPage> {
  const keys = domainKeys({ ...page, nameInOrder }, now, sqlOf(chains));
  const named = keys.map((key, i) => ({ ...key, column: sql.raw(`key${i}`) }));
  const columns = sql.join(
    keys.map(({ column }, i) => sql`${column} as ${sql.raw(`key${i}`)}`),
    sql`, `,
  );
  const read = async ({ where, order, limit, offset }: Slice): Promise<Found[]> => {
    const first = (part: DomainPart, selected: SQL): SQL =>
      sql`select ${domain.chainId} as "chainId", ${domain.node} as node, ${selected} from ${part.from}
        where ${and(part.where, where)} order by ${sql.join(order, sql`, `)}`;
    const [only, ...others] = parts;
    if (only === undefined) return [];
    const each = parts.map((part) => sql`(${first(part, columns)} limit ${limit + offset})`);
    const all =
      others.length === 0
        ? first(only, sql`${positionOf(keys).sql} as position`)
        : sql`select "chainId", node, ${positionOf(named).sql} as position
            from (${sql.join(each, sql` union `)}) as name order by ${sql.join(orderBy(named), sql`, `)}`;
    return (await db.execute<Found>(sql`${all} limit ${limit} offset ${offset}`)).rows;
  };
  const { rows, ...listed } = await readList(page, { keys, read, count });
  const condition = or(...parts.map(({ where }) => where));
  return { ...listed, rows: await listInOrder(db, rows), condition };
}

/** Selects domains on these chains, and a page of them. */
export type OnePass = { chains: Scope; where: SQL | undefined; page: PageRequest; now: number };

/**
 * A page of the domains that match a condition, the total, and the number of each kind, in one pass. With a condition whose index
 * has no order, finding the domains is most of the work. Counts are null if not requested.
 */
export async function listAndCount<Sort extends string>(
  db: Db,
  { chains, where, page, now }: OnePass,
  sorts: Record<Sort, SQL>,
): Promise<Omit<DomainPage, "total"> & { counts: Record<Sort | "total", number> | null }> {
  const names = Object.keys(sorts) as Sort[];
  const columns = names.map((name) => sql`, ${sorts[name]} as ${sql.identifier(name)}`);
  const counts = names.map(
    (name) => sql`, (count(*) filter (where ${sql.identifier(name)}))::int as ${sql.identifier(name)}`,
  );
  const keys = foundKeys(page, sqlOf(chains));
  const isListed = page.after && sql`where ${rowsAfter(keys, page.after)}`;
  const { rows } = await db.execute<Record<Sort | "total", number> & { positions: Position[] }>(sql`
    with found as materialized (
      select ${domain.chainId} as chain_id, ${domain.node} as node, ${sortKeyOf(page, now)} as sort_key ${sql.join(columns)}
      from ${domain} where ${where}
    )
    select ${page.isCounted ? sql`count(*)::int as total ${sql.join(counts)},` : sql``} array(
        select ${positionOf(keys).sql} from found ${isListed} order by ${sql.join(orderBy(keys), sql`, `)}
        limit ${limitOf(page)} offset ${offsetOf(page)}
      ) as positions ${page.isCounted ? sql`from found` : sql``}`);
  const [found] = rows;
  const positions: readonly Position[] = found?.positions ?? [];
  const { rows: listed, next } = cutPage(
    positions.map((position) => ({ position })),
    page,
  );
  const nodes = listed.map(({ position: [, node, chainId = chains.ids[0]] }) => ({
    chainId: Number(chainId),
    node: node as Hex,
  }));
  return {
    counts: page.isCounted && found ? found : null,
    rows: await listInOrder(db, nodes),
    next,
    condition: where,
  };
}

/** Columns of a domain that an ENSv2 entry determines. */
type EntryColumns = Pick<
  DomainRow,
  "registry" | "effectiveOwnerAddress" | "expiryTimestamp" | "pathExpiryTimestamp" | "resolver" | "isWrapped"
>;

/** Rows of a list whose values differ from the stored ones, by node; all on one chain. */
export type Corrected = { condition: SQL | undefined; rows: ReadonlyMap<Hex, EntryColumns> };

/** Finds the rows of each list that match its condition with the corrected values. One statement serves all lists. */
export async function listMeeting(db: Db, chainId: number, lists: readonly Corrected[]): Promise<Set<Hex>[]> {
  const stored = alias(domain, "stored");
  const parts = lists.flatMap(({ condition, rows }, place) => {
    if (rows.size === 0) return [];
    const values = [...rows].map(([node, columns]) => [node, toJson(columns)] as const);
    return [
      sql`select ${sql.raw(String(place))} as place, ${stored.node} as node
        from jsonb_each(${JSON.stringify(Object.fromEntries(values))}::jsonb) as corrected (node, columns)
        join ${domain} as stored on ${stored.chainId} = ${chainId} and ${stored.node} = corrected.node
        cross join lateral jsonb_populate_record(stored, corrected.columns) as ${sql.identifier(getTableName(domain))}
        where ${condition ?? sql`true`}`,
    ];
  });
  const met = lists.map(() => new Set<Hex>());
  if (parts.length === 0) return met;
  const { rows } = await db.execute<{ place: number; node: Hex }>(sql.join(parts, sql` union all `));
  for (const { place, node } of rows) met[place]?.add(node);
  return met;
}

const toJson = (columns: EntryColumns) => ({
  [domain.registry.name]: columns.registry,
  [domain.effectiveOwnerAddress.name]: columns.effectiveOwnerAddress,
  [domain.expiryTimestamp.name]: columns.expiryTimestamp?.toString() ?? null,
  [domain.pathExpiryTimestamp.name]: columns.pathExpiryTimestamp?.toString() ?? null,
  [domain.resolver.name]: columns.resolver,
  [domain.isWrapped.name]: columns.isWrapped,
});

/** A page of the names with a labelhash, under any parent. By name, they are sorted with the label that is shown. */
export function listLabelled(
  db: Db,
  page: PageRequest,
  { chains, hash, label, now }: { chains: Scope; hash: Hex; label: string; now: number },
): Promise<DomainPage> {
  const where = and(sqlOf(chains).holds(domain.chainId), eq(domain.labelhash, hash));
  // The index may know only the hash, and names shown by node have no label.
  const shownName = sql`case when ${domain.fullName} like '[namehash:%' then ${domain.fullName}
    else ${label}::text || substr(${domain.fullName}, length(${domain.label}) + 1) end`;
  return listDomainPage(db, {
    chains,
    now,
    page,
    parts: [domainsWhere(where)],
    nameInOrder: shownName,
    count: () => db.$count(domain, where),
  });
}
