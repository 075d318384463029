import { cacheTables, ofChains } from "../../engine/cache.ts";
import { CACHE_SCHEMA } from "../../engine/cacheSchema.ts";
import { JOURNAL, listTables, readIndexer } from "../../engine/ponderInternals.ts";
import { finalRows, formerRows, listRestorePoints, type RestorePoint } from "../../engine/restorePoint.ts";
import type { Queries } from "../../src/api/server/postgres/client.ts";
import { CommandError } from "../commandLine/command.ts";
import type { Part } from "./manifest.ts";

/** What a snapshot is made of. */
export type Source = { buildId: string; points: RestorePoint[]; tables: SourceTable[] };

/** A table, with its size when the snapshot was begun. Columns are as SQL has them. */
export type SourceTable = {
  of: Part["of"];
  schema: string;
  table: string;
  pages: number;
  columns: string;
  key: string[];
};

/** Some of the rows of a table: few enough to be read in seconds. */
export type Piece = { of: Part["of"]; table: string; pages: number; select: string };

/**
 * Pages of a table (8 KiB each) that are read in one transaction. Its lock makes a reorganisation wait, which holds
 * up everybody else, so it must not last.
 */
const PIECE_PAGES = 4_096;

/** @throws CommandError if the index is not complete */
export async function readSource(
  queries: Queries,
  { schema, withCache }: { schema: string; withCache: boolean },
): Promise<Source> {
  const { query } = queries;
  const indexer = await readIndexer(query, schema).catch((error: { code?: string }) => {
    if (error.code === "42P01") return null; // undefined_table
    throw error;
  });
  if (indexer === null) {
    throw new CommandError(
      `Schema "${schema}" has no index. List all with \`npm run release -- list\`, and set DATABASE_SCHEMA.`,
    );
  }
  if (!indexer.isReady) {
    throw new CommandError(
      `The index "${schema}" is not complete: its indexer has not reached the head of the chain since it started. Run the same command when /indexing-status reports "ready".`,
    );
  }
  const names = await listTables(query, schema);
  const tables = await measure(queries, { of: "index", schema, names });
  const cached = withCache
    ? await measure(queries, { of: "cache", schema: CACHE_SCHEMA, names: cacheTables })
    : [];
  const points = await listRestorePoints(query, schema);
  return { buildId: indexer.buildId, points, tables: [...tables, ...cached] };
}

/** In the order of the names. */
async function measure(
  { query }: Queries,
  { of, schema, names }: { of: Part["of"]; schema: string; names: readonly string[] },
): Promise<SourceTable[]> {
  const rows = await query<Omit<SourceTable, "of" | "schema">>(
    `select c.relname as table, (pg_relation_size(c.oid) / current_setting('block_size')::int)::int as pages,
       (select string_agg(quote_ident(attname), ', ' order by attnum) from pg_attribute
        where attrelid = c.oid and attnum > 0 and not attisdropped) as columns,
       array(select quote_ident(attname) from pg_attribute join pg_index i on i.indrelid = attrelid and i.indisprimary
        where attrelid = c.oid and attnum = any (i.indkey) order by attnum) as key
     from unnest($2::text[]) with ordinality as wanted (name, place)
     join pg_class c on c.relname = wanted.name and c.relkind = 'r'
     where c.relnamespace = (select oid from pg_namespace where nspname = $1) order by place`,
    [schema, names],
  );
  return rows.map((row) => ({ of, schema, ...row }));
}

/** The pieces of a source: the largest tables come first, so that all workers end at the same time. */
export function piecesOf({ tables, points }: Source): Piece[] {
  const largestFirst = tables.toSorted((a, b) => b.pages - a.pages);
  return largestFirst.flatMap((table) => [
    ...rangesOf(table.pages).map(({ from, to }) => pieceOf(table, { from, to, points })),
    ...(table.of === "index"
      ? [{ of: table.of, table: table.table, pages: 0, select: formerRows(table) }]
      : []),
  ]);
}

const rangesOf = (pages: number): { from: number; to: number }[] =>
  Array.from({ length: Math.ceil(pages / PIECE_PAGES) }, (_, i) => ({
    from: i * PIECE_PAGES,
    to: Math.min((i + 1) * PIECE_PAGES, pages),
  }));

/** A row of the journal that belongs to what the snapshot has: Ponder does not note which of its rows are final. */
const isReached = (points: RestorePoint[]): string =>
  `(${points.map(({ chainId, blockNumber }) => `t.chain_id = ${chainId} and t.number <= ${blockNumber}`).join(" or ")})`;

type Range = { from: number; to: number; points: RestorePoint[] };

function pieceOf(table: SourceTable, { from, to, points }: Range): Piece {
  const place = `t.ctid >= '(${from},0)' and t.ctid < '(${to},0)'`;
  const chainIds = points.map(({ chainId }) => chainId);
  const select =
    table.of === "index"
      ? finalRows(table, table.table === JOURNAL ? `${place} and ${isReached(points)}` : place)
      : `select ${table.columns} from "${table.schema}"."${table.table}" as t where ${place} and ${ofChains(table.table, chainIds)}`;
  return { of: table.of, table: table.table, pages: to - from, select };
}
