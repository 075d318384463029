import type pg from "pg";
import { finalRows } from "../../engine/restorePoint.ts";
import { queriesOf } from "../../src/api/server/postgres/client.ts";
import { readSource, type Source, type SourceTable } from "../snapshot/source.ts";
import { type Column, type FileFormat, fileTypeOf, quoted } from "./columns.ts";
import { type Kind, kindOf, orderOf } from "./tables.ts";

/** A table of the index, and how it is written. */
export type View = {
  name: string;
  kind: Kind;
  columns: Column[];
  order: readonly string[];
  /** Rows that PostgreSQL expects it to have: for the progress only. */
  expectedRows: number;
  source: SourceTable;
};

/** An index at one state. */
export type Index = Pick<Source, "buildId" | "points"> & { views: View[]; postgresql: string };

/** @throws CommandError if the index is not complete */
export async function readIndex(
  client: pg.ClientBase,
  { schema, format }: { schema: string; format: FileFormat },
): Promise<Index> {
  const queries = queriesOf(client);
  const { buildId, points, tables } = await readSource(queries, { schema, withCache: false });
  const rows = await queries.query<{
    table: string;
    rows: number;
    columns: { name: string; type: string }[];
  }>(
    `select c.relname as table, greatest(c.reltuples, 0)::float8 as rows,
       json_agg(json_build_object('name', attname, 'type', format_type(atttypid, atttypmod)) order by attnum) as columns
     from pg_class c join pg_attribute a on a.attrelid = c.oid and attnum > 0 and not attisdropped
     where c.relnamespace = (select oid from pg_namespace where nspname = $1) and c.relname = any ($2)
     group by c.oid, c.relname, c.reltuples`,
    [schema, tables.map(({ table }) => table)],
  );
  const described = new Map(rows.map((row) => [row.table, row]));
  const [version] = await queries.query<{ server_version: string }>("SHOW server_version");
  return {
    buildId,
    points,
    postgresql: version?.server_version ?? "",
    views: tables.map((source) => {
      const { rows: expectedRows = 0, columns = [] } = described.get(source.table) ?? {};
      const key = source.key.map((column) => column.replaceAll('"', ""));
      return {
        name: source.table,
        kind: kindOf(source.table),
        source,
        expectedRows,
        columns: columns.map((column) => ({ name: column.name, type: fileTypeOf(column, format) })),
        order: orderOf(source.table, key),
      };
    }),
  };
}

/** Blocks of one chain, with both ends. */
export type BlockRange = { chainId: number; first: number; last: number };

const inRange = ({ chainId, first, last }: BlockRange): string =>
  `chain_id = ${chainId} and block_number between ${first} and ${last}`;

/** SQL for the rows of a log table that logs of these blocks gave. All of them must be final. */
export const rowsOfBlocks = ({ source }: View, range: BlockRange): string =>
  finalRows(source, inRange(range));

/** The block of the last of this number of rows; null if there are fewer. The primary key alone is read. */
export async function findCut(
  client: pg.ClientBase,
  { source: { schema, table } }: View,
  { range, rows }: { range: BlockRange; rows: number },
): Promise<number | null> {
  const { rows: found } = await client.query<{ block: number }>(
    `select block_number as block from ${quoted(schema)}.${quoted(table)} where ${inRange(range)}
     order by chain_id, block_number offset ${rows - 1} limit 1`,
  );
  return found[0]?.block ?? null;
}
