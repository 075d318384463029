import type { SQL } from "drizzle-orm";
import { sql } from "ponder";
import { z } from "zod";
import type { ChangeRow } from "./rows.ts";

/** Which changes a reader wants; all where nothing is said. */
export type ChangeFilters = {
  types?: readonly string[] | undefined;
  chainIds?: readonly number[] | undefined;
  node?: string | undefined;
  /** A name: changes of it and of the names below it, by the names that they had then. */
  subtree?: string | undefined;
  /** Any role: owner in a layer, address of a primary name, address record. */
  address?: string | undefined;
  resolver?: string | undefined;
};

/** Filters as they are stored: what was stored by another release, or by hand, may have another form. */
export const storedFilters: z.ZodType<ChangeFilters> = z.strictObject({
  types: z.array(z.string()).optional(),
  chainIds: z.array(z.int()).optional(),
  node: z.string().optional(),
  subtree: z.string().optional(),
  address: z.string().optional(),
  resolver: z.string().optional(),
});

type Filter<Wanted> = { sql: (wanted: Wanted) => SQL; holds: (row: ChangeRow, wanted: Wanted) => boolean };

type Filters = { [Name in keyof ChangeFilters]-?: Filter<NonNullable<ChangeFilters[Name]>> };

/** Each filter in both forms: for a page in SQL, and for the changes that all streams of a process share. */
const filters: Filters = {
  types: {
    sql: (types) => sql`f.type = any(${sql.param([...types])}::text[])`,
    holds: (row, types) => types.includes(row.type),
  },
  chainIds: {
    sql: (ids) => sql`f.chain_id = any(${sql.param([...ids])}::int[])`,
    holds: (row, ids) => ids.includes(row.chainId),
  },
  node: {
    sql: (node) => sql`f.node = ${node}`,
    holds: (row, node) => row.node === node,
  },
  subtree: {
    sql: (name) => sql`(f.name = ${name} or right(f.name, char_length(${name}) + 1) = ${`.${name}`})`,
    holds: ({ name }, of) => name === of || (name?.endsWith(`.${of}`) ?? false),
  },
  address: {
    sql: (address) => sql`${address} = any(f.addresses)`,
    holds: (row, address) => row.addresses.includes(address),
  },
  resolver: {
    sql: (resolver) => sql`f.resolver = ${resolver}`,
    holds: (row, resolver) => row.resolver === resolver,
  },
};

type Given = [Filter<never>, never];

const givenOf = (wanted: ChangeFilters): Given[] =>
  Object.entries(filters).flatMap(([name, filter]) => {
    const value = wanted[name as keyof ChangeFilters];
    return value === undefined ? [] : [[filter, value] as unknown as Given];
  });

/** Whether a reader wants the changes of all names, and therefore also markers that belong to no change. */
const wantsAll = ({ types, chainIds: _, ...others }: ChangeFilters): boolean =>
  types === undefined && Object.values(others).every((one) => one === undefined);

const FINAL = "chain.finalized";

/** SQL for the changes `f` that a reader wants. The ends of blocks come besides. */
export function filterSql(wanted: ChangeFilters): SQL {
  const isOf = wantsAll(wanted)
    ? sql`f.type <> 'block.ended'`
    : sql`(f.source is not null or f.type = ${FINAL})`;
  return sql.join([isOf, ...givenOf(wanted).map(([filter, value]) => filter.sql(value))], sql` and `);
}

/** The same as {@link filterSql} for one change. */
export function isWanted(row: ChangeRow, wanted: ChangeFilters): boolean {
  if (row.type === "block.ended") return false;
  if (!wantsAll(wanted) && row.source === null && row.type !== FINAL) return false;
  return givenOf(wanted).every(([filter, value]) => filter.holds(row, value));
}
