// Part of the patch blockJournal: the SQL of the journal of blocks (`blocks` of ponder.schema.ts).

import { UNKNOWN } from "../backfill/thinBlocks.ts";
import { CACHE_SCHEMA } from "../cacheSchema.ts";
import { blockOf, chainOf, checkpointTable, JOURNAL } from "../ponderInternals.ts";
import { reorgTableOf } from "../restorePoint.ts";

/**
 * How many numbers of blocks of each chain the journal goes back: 55 days of Ethereum, 9 days of a layer 2 with a block every
 * two seconds, some 100 MB for each chain.
 */
export const JOURNAL_BLOCKS = 400_000;

/** A block of the journal. */
export type JournalBlock = {
  chainId: number;
  number: number;
  hash: string;
  /** Null where only logs told of the block. */
  parentHash: string | null;
  timestamp: number;
};

/** Rows of one statement. */
const ROWS_AT_ONCE = 1_000;

const literal = (text: string | null): string =>
  text === null ? "null" : `'${text.toLowerCase().replaceAll("'", "''")}'`;

const COLUMNS = `chain_id, number, hash, parent_hash, "timestamp"`;
const REPLACE = `on conflict (chain_id, number) do update
  set hash = excluded.hash, parent_hash = excluded.parent_hash, "timestamp" = excluded."timestamp"`;

/** SQL for a journal's rows, with the names of `JournalBlock`. */
const RETURNED = `b.chain_id as "chainId", b.number, b.hash, b.parent_hash as "parentHash", b."timestamp"::float8 as "timestamp"`;

/** The channel that announces each change of the journal. */
export const journalChannel = (schema: string): string => `${JOURNAL}_${schema}`;

/** The tables of an index, by name. */
export function journalSql(schema: string) {
  const table = (name: string): string => `"${schema}"."${name}"`;
  const journal = table(JOURNAL);
  const checkpoints = table(checkpointTable);
  return {
    /** Statements that write blocks, and replace what had their numbers. */
    insert: (blocks: readonly JournalBlock[]): string[] =>
      Array.from({ length: Math.ceil(blocks.length / ROWS_AT_ONCE) }, (_, i) => {
        const rows = blocks.slice(i * ROWS_AT_ONCE, (i + 1) * ROWS_AT_ONCE).map(valuesOf);
        return `insert into ${journal} (${COLUMNS}) values ${rows.join(", ")} ${REPLACE}`;
      }),

    /** Writes a block unless the chain has one. */
    insertFirst: (block: JournalBlock): string =>
      `insert into ${journal} (${COLUMNS}) select * from (values ${valuesOf(block)}) as first
       where not exists (select from ${journal} where chain_id = ${block.chainId})`,

    /** Writes blocks of a range from the cache: the last one, and those from `newest` on. The cache has all with logs. */
    insertCached: ({ chainId, from, to, newest }: Record<"chainId" | "from" | "to" | "newest", number>) =>
      `insert into ${journal} (${COLUMNS})
       select ${chainId}, number::int, hash, nullif(parent_hash, '${UNKNOWN}'), "timestamp"::bigint from ${CACHE_SCHEMA}.blocks
       where chain_id = ${chainId} and number between ${Math.min(to, Math.max(from, newest))} and ${to} ${REPLACE}`,

    /**
     * Removes what a reorganisation rolls back. Ponder undoes all changes of rows since the first change by a lost
     * block, including those of other chains' blocks. Call it before that. Returns the removed rows.
     */
    takeBack: (plan: { chainId: number; number: number; checkpoint: string; tables: readonly string[] }) => {
      const changes = plan.tables.map(
        (name) => `select operation_id, checkpoint from ${table(reorgTableOf(name))}`,
      );
      return `
        with changes as (${changes.join(" union all ")}),
        first_lost as (
          select min(operation_id) as id from changes
          where ${chainOf("checkpoint")}::bigint = ${plan.chainId} and checkpoint > '${plan.checkpoint}'
        ),
        lost as (
          select ${chainOf("checkpoint")}::bigint as chain_id, min(${blockOf("checkpoint")}::bigint) as first
          from changes, first_lost where operation_id >= first_lost.id group by 1
          union all select ${plan.chainId}, ${plan.number + 1}
        )
        delete from ${journal} b using (select chain_id, min(first) as first from lost group by 1) as l
        where b.chain_id = l.chain_id and b.number >= l.first returning ${RETURNED}`;
    },

    /** Takes out what a start takes back, and gives it. */
    takeBackToSafe: `
      delete from ${journal} b using ${checkpoints} c
      where b.chain_id = c.chain_id and b.number > ${blockOf("c.safe_checkpoint")}::bigint returning ${RETURNED}`,

    /** Removes what is too old, except the block that a start rolls the tables back to. */
    prune: (chainId: number): string => `
      delete from ${journal} b using ${checkpoints} c where b.chain_id = ${chainId} and c.chain_id = ${chainId}
      and b.number < least(${blockOf("c.safe_checkpoint")}::bigint, ${blockOf("c.finalized_checkpoint")}::bigint - ${JOURNAL_BLOCKS})`,

    /** Tells listeners on which block of each chain the index stands, when the transaction commits. */
    notify: `
      select pg_notify('${journalChannel(schema)}', coalesce(json_agg(
        json_build_object('chain', b.chain_id, 'number', b.number, 'hash', b.hash) order by b.chain_id)::text, '[]'))
      from ${checkpoints} c cross join lateral (
        select * from ${journal} where chain_id = c.chain_id order by number desc limit 1) b`,
  };
}

const valuesOf = ({ chainId, number, hash, parentHash, timestamp }: JournalBlock): string =>
  `(${Number(chainId)}, ${Number(number)}, ${literal(hash)}, ${literal(parentHash)}, ${Number(timestamp)}::bigint)`;
