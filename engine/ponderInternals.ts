/** Any index that is declared in `ponder.schema.ts`; those that we build ourselves may be younger than everything. */
const REBUILT_INDEX = "domains_node";

/**
 * SQL for the checkpoint of each chain as of which the tables are (`chain_name`, `chain_id`, `checkpoint`,
 * `finalized_checkpoint`). Ponder keeps checkpoints of 75 digits: time (10), chain (16), block (16), ... An indexer that
 * starts again takes its tables back to the safe checkpoint, builds the declared indexes anew, and leaves the latest
 * checkpoint as it was until the first block afterwards: a latest checkpoint that is older than a declared index tells of
 * rows that are gone. Source: ponder 0.17.7, database/index.js, `crashRecoveryCheckpoint`.
 *
 * @param place the schema in quotes with a dot after it; empty for the one in which unqualified names are found
 */
export const checkpointsOf = (place = ""): string => `
  with indexer as (select (value ->> 'is_ready')::int = 1 as is_ready from ${place}_ponder_meta where key = 'app'),
  built as (
    select age(xmin) as age from pg_index where indexrelid = to_regclass('${place}${REBUILT_INDEX}')
  )
  select chain_name, chain_id, finalized_checkpoint, case
    when (select is_ready from indexer) and age(c.xmin) <= coalesce((select age from built), 2147483647)
    then latest_checkpoint else safe_checkpoint end as checkpoint
  from ${place}_ponder_checkpoint c`;
