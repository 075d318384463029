// Part of the patch logSync: sources that said what the operator's node does not, and what was done about it.

import { forgetBlocks } from "../cachedLogs.ts";
import { CACHE_SCHEMA } from "../cacheSchema.ts";
import type { Query } from "../ponderInternals.ts";
import { createOnce, takeSourceBlocks } from "./sourceBlocks.ts";
import type { Difference } from "./sourceChecks.ts";

const TABLE = `${CACHE_SCHEMA}.false_sources`;

export type FalseSource = { location: string; schema: string; block: number; what: string };

/** Sources of a chain that were false. */
export async function listFalseSources(query: Query, chainId: number): Promise<FalseSource[]> {
  const [has] = await query<{ has: boolean }>(`select to_regclass('${TABLE}') is not null as has`);
  if (!has?.has) return [];
  return query(
    `select location, schema, block::int8::float8 as block, what from ${TABLE} where chain_id = ${Number(chainId)}`,
  );
}

/** In the order in which a range is written: else one that removes blocks and one that writes some can wait for each other. */
const WRITTEN = ["blocks", "transactions", "logs", "intervals"]
  .map((table) => `${CACHE_SCHEMA}.${table}`)
  .join(", ");

/** Until a transaction ends that writes blocks, those of no false source are removed. */
export async function holdCache(query: Query): Promise<void> {
  await query(`lock table ${WRITTEN} in row exclusive mode`);
}

type False = Difference & {
  location: string;
  chainId: number;
  /** The index that is built; null if blocks are false that are in the cache, which all its readers may have. */
  schema: string | null;
};

/**
 * Notes that a source is false, and removes all its blocks from the cache. Call it in a transaction of its own: it waits for those
 * that write the cache, so that none of them adds blocks afterwards.
 */
export async function noteFalseSource(query: Query, found: False): Promise<void> {
  const { location, schema, chainId, block, what } = found;
  await query(`lock table ${WRITTEN} in share row exclusive mode`);
  await query(
    createOnce(
      TABLE,
      `chain_id bigint not null, location text not null, schema text not null, block bigint not null, what text not null,
       at timestamptz not null default now()`,
    ),
  );
  const { schemas, ranges } = await takeSourceBlocks(query, { chainId, location });
  for (const one of schema === null ? schemas : [schema]) {
    const words = [location, one, what].map((word) => `'${word.replaceAll("'", "''")}'`);
    await query(`insert into ${TABLE} (chain_id, location, schema, what, block)
      values (${Number(chainId)}, ${words.join(", ")}, ${Number(block)})`);
  }
  for (const [from, to] of ranges) await forgetBlocks(query, { chainId, from, to });
}

/** What the operator reads, and does. */
export const describeFalseSource = (
  variable: string,
  { location, schema, block, what }: FalseSource,
): string =>
  `${variable}: ${location} differs from your node at block ${block} (${what}), so it is not used again. Its blocks were removed from the cache. Unset ${variable}, or set another source, and build a new index: start with another DATABASE_SCHEMA than "${schema}"`;
