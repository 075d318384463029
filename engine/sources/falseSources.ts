// Part of the patch logSync: sources that contradicted the operator's node, and the removal of their blocks.

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

/** Locked in the order in which a range is written; otherwise a removal and a write can deadlock. */
const WRITTEN = ["blocks", "transactions", "logs", "intervals"]
  .map((table) => `${CACHE_SCHEMA}.${table}`)
  .join(", ");

/** While a transaction writes blocks, no blocks of a false source are removed. */
export async function holdCache(query: Query): Promise<void> {
  await query(`lock table ${WRITTEN} in row exclusive mode`);
}

type False = Difference & {
  location: string;
  chainId: number;
  /** The index being built; null if the false blocks are already cached, so that any reader may have them. */
  schema: string | null;
};

/**
 * Records that a source is false, and removes all its blocks from the cache. Call it in its own transaction: it waits for transactions
 * that write the cache, so none of them can add blocks afterwards.
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

/** The message for the operator, with what to do. */
export const describeFalseSource = (
  variable: string,
  { location, schema, block, what }: FalseSource,
): string =>
  `${variable}: ${location} differs from your node at block ${block} (${what}), so it is not used again. Its blocks were removed from the cache. Unset ${variable}, or set another source, and build a new index: start with another DATABASE_SCHEMA than "${schema}"`;
