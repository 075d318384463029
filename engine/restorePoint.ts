import { checkpointTable, metaTable, type Query } from "./ponderInternals.ts";

// The state that Ponder takes its tables back to when it starts after a crash: no later reorganisation changes it. Rows
// that are not final have their former values in a table beside theirs. Source: `crashRecovery` of database/actions.js.

/** Where a chain's index is after its tables are rolled back. */
export type RestorePoint = {
  chainId: number;
  chainName: string;
  /** Ponder's own name of the point. */
  checkpoint: string;
  /** All logs up to this block are in the tables. */
  blockNumber: number;
  blockTimestamp: number;
};

/** The sequence that numbers changes which are not final yet. */
export const REORG_SEQUENCE = "operation_id";

const REORG_PREFIX = "_reorg__";
/** The table of former values of rows that are not final yet. */
export const reorgTableOf = (table: string): string => `${REORG_PREFIX}${table}`;
export const isReorgTable = (table: string): boolean => table.startsWith(REORG_PREFIX);

const CHECKPOINT = /^(\d{10})(\d{16})(\d{16})\d{33}$/;

/** Decodes a checkpoint; null if it is not one. */
export function parseCheckpoint(
  checkpoint: string,
): Pick<RestorePoint, "chainId" | "blockNumber" | "blockTimestamp"> | null {
  const [, time, chain, block] = CHECKPOINT.exec(checkpoint) ?? [];
  if (time === undefined) return null;
  return { blockTimestamp: Number(time), chainId: Number(chain), blockNumber: Number(block) };
}

/** The restore point of each chain of an index, in the order of chains. */
export async function listRestorePoints(query: Query, schema: string): Promise<RestorePoint[]> {
  const rows = await query<{ name: string; checkpoint: string }>(
    `select chain_name as name, safe_checkpoint as checkpoint from "${schema}".${checkpointTable} order by chain_id`,
  );
  return rows.map(({ name, checkpoint }) => {
    const point = parseCheckpoint(checkpoint);
    if (point === null) throw new Error(`"${checkpoint}" is no checkpoint of Ponder 0.17.7.`);
    return { chainName: name, checkpoint, ...point };
  });
}

/** A table, with its columns and those of its primary key as SQL has them. */
export type KeyedTable = { schema: string; table: string; columns: string; key: readonly string[] };

const nameOf = (schema: string, table: string): string => `"${schema}"."${table}"`;

/** SQL for rows of a part of a table (`where`) that are as they were at the restore point. */
export const finalRows = ({ schema, table, columns, key }: KeyedTable, where: string): string => `
  select ${columns} from ${nameOf(schema, table)} as t where ${where} and not exists (
    select from ${nameOf(schema, reorgTableOf(table))} as r where ${key.map((column) => `r.${column} = t.${column}`).join(" and ")}
  )`;

const INSERTED = 0;

/** SQL for the rows of a table that were changed or deleted since the restore point, as they were there. */
export const formerRows = ({ schema, table, columns, key }: KeyedTable): string => `
  select ${columns} from (
    select distinct on (${key.join(", ")}) * from ${nameOf(schema, reorgTableOf(table))} order by ${key.join(", ")}, operation_id
  ) as first where operation <> ${INSERTED}`;

/** The version of Ponder's tables (`VERSION` of database/index.js). */
const TABLES_VERSION = "6";

/**
 * Statements that make tables an index, which an indexer of the same build continues from these points: until they are
 * there, no program takes the tables for an index.
 */
export function stateStatements(
  schema: string,
  {
    buildId,
    tables,
    views,
    points,
  }: { buildId: string; tables: string[]; views: string[]; points: RestorePoint[] },
): { text: string; values: unknown[] }[] {
  const meta = {
    version: TABLES_VERSION,
    build_id: buildId,
    table_names: tables,
    view_names: views,
    is_dev: 0,
    is_locked: 0,
    is_ready: 0,
    heartbeat_at: 0,
  };
  return [
    statement(`CREATE TABLE "${schema}".${metaTable} ("key" TEXT PRIMARY KEY, "value" JSONB NOT NULL)`),
    statement(`CREATE TABLE "${schema}".${checkpointTable} ("chain_name" TEXT PRIMARY KEY, "chain_id" BIGINT NOT NULL,
      "safe_checkpoint" VARCHAR(75) NOT NULL, "latest_checkpoint" VARCHAR(75) NOT NULL,
      "finalized_checkpoint" VARCHAR(75) NOT NULL)`),
    statement(`INSERT INTO "${schema}".${metaTable} VALUES ('app', $1)`, meta),
    ...points.map(({ chainName, chainId, checkpoint }) =>
      statement(
        `INSERT INTO "${schema}".${checkpointTable} VALUES ($1, $2, $3, $3, $3)`,
        ...[chainName, chainId, checkpoint],
      ),
    ),
  ];
}

const statement = (text: string, ...values: unknown[]) => ({ text, values });
