// Part of the patch logSync: cached blocks that came from a source, and which of them have since been compared completely with the
// operator's node.

import { CACHE_SCHEMA } from "../cacheSchema.ts";
import type { Query } from "../ponderInternals.ts";

export const SOURCE_BLOCKS = `${CACHE_SCHEMA}.source_blocks`;

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;
const blocksOf = (from: number, to: number): string => `int8multirange(int8range(${from}, ${to}, '[]'))`;

/** Creates a table. Chains of one indexer may create it concurrently; PostgreSQL then refuses all but one. */
export const createOnce = (table: string, columns: string): string =>
  `do $$ begin create table if not exists ${table} (${columns});
   exception when duplicate_table or unique_violation then null; end $$`;

export async function hasSourceBlocks(query: Query): Promise<boolean> {
  const [row] = await query<{ has: boolean }>(`select to_regclass('${SOURCE_BLOCKS}') is not null as has`);
  return row?.has ?? false;
}

type Source = { chainId: number; location: string };
type Blocks = { from: number; to: number };

/** Records blocks before they are stored. They must be compared again, because other filters may have requested them. */
export async function noteSourceBlocks(
  query: Query,
  { chainId, location, schema, from, to }: Source & Blocks & { schema: string },
): Promise<void> {
  await query(
    createOnce(
      SOURCE_BLOCKS,
      `chain_id bigint, location text, schemas text[] not null, blocks int8multirange not null,
       compared int8multirange not null default '{}', primary key (chain_id, location)`,
    ),
  );
  const blocks = blocksOf(from, to);
  await query(
    `insert into ${SOURCE_BLOCKS} as s (chain_id, location, schemas, blocks)
     values (${chainId}, ${literal(location)}, array[${literal(schema)}], ${blocks})
     on conflict (chain_id, location) do update set blocks = s.blocks + ${blocks}, compared = s.compared - ${blocks},
       schemas = array(select distinct unnest(s.schemas || excluded.schemas))`,
  );
}

/** Records that an index starts at this block, so it reads later blocks of sources from the cache. */
export async function noteReader(
  query: Query,
  { chainId, schema, from }: { chainId: number; schema: string; from: number },
): Promise<void> {
  if (!(await hasSourceBlocks(query))) return;
  await query(
    `update ${SOURCE_BLOCKS} set schemas = schemas || ${literal(schema)}::text
     where chain_id = ${chainId} and upper(blocks) > ${from} and ${literal(schema)} <> all(schemas)`,
  );
}

const count = (blocks: string): string =>
  `coalesce((select sum(upper(r) - lower(r)) from unnest(${blocks}) as r), 0)`;

/** The number of a chain's blocks that an index has from sources, and how many have been compared. */
export async function countSourceBlocks(
  query: Query,
  { chainId, schema }: { chainId: number; schema: string },
): Promise<{ blocks: number; compared: number }> {
  const [row] = await query<{ blocks: number; compared: number }>(
    `select coalesce(sum(${count("blocks")}), 0)::float8 as blocks, coalesce(sum(${count("compared")}), 0)::float8 as compared
     from ${SOURCE_BLOCKS} where chain_id = ${chainId} and ${literal(schema)} = any(schemas)`,
  );
  return row ?? { blocks: 0, compared: 0 };
}

/** The first blocks of an index not yet compared; null if there are none. */
export async function findUncompared(
  query: Query,
  { chainId, schema }: { chainId: number; schema: string },
): Promise<(Source & Blocks) | null> {
  const [row] = await query<{ location: string; from: number; to: number }>(
    `select location, lower(r)::float8 as "from", (upper(r) - 1)::float8 as "to"
     from ${SOURCE_BLOCKS}, unnest(blocks - compared) as r
     where chain_id = ${chainId} and ${literal(schema)} = any(schemas) order by 1, 2 limit 1`,
  );
  return row === undefined ? null : { chainId, ...row };
}

export async function noteCompared(
  query: Query,
  { chainId, location, from, to }: Source & Blocks,
): Promise<void> {
  await query(
    `update ${SOURCE_BLOCKS} set compared = compared + (${blocksOf(from, to)} * blocks)
     where chain_id = ${chainId} and location = ${literal(location)}`,
  );
}

/** Forgets a source. @returns its blocks, and the indexes that read them */
export async function takeSourceBlocks(
  query: Query,
  { chainId, location }: Source,
): Promise<{ schemas: string[]; ranges: [number, number][] }> {
  if (!(await hasSourceBlocks(query))) return { schemas: [], ranges: [] };
  const rows = await query<{ schemas: string[]; ranges: [number, number][] }>(
    `delete from ${SOURCE_BLOCKS} where chain_id = ${chainId} and location = ${literal(location)}
     returning schemas, (select coalesce(json_agg(json_build_array(lower(r), upper(r) - 1)), '[]') from unnest(blocks) as r) as ranges`,
  );
  return rows[0] ?? { schemas: [], ranges: [] };
}
