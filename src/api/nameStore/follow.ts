import { setImmediate } from "node:timers/promises";
import type pg from "pg";
import { tablesVersionOf } from "../../../engine/ponderInternals.ts";
import { createNameTable, type NameRow, NameStoreFull, type NameTable } from "./nameTable.ts";
import { LAST_TIME } from "./tests.ts";
import { isNoted, readTouched } from "./touched.ts";

/** The names of an index as of one state of its tables. */
export type Names = {
  tables: Map<number, NameTable>;
  /** The state of the tables, as `TablesState` has it. */
  version: string;
  /** The snapshot of PostgreSQL in which they are so. */
  snapshot: string;
};

export type Source = {
  client: pg.ClientBase;
  /** Schema of the index. */
  schema: string;
  /** SQL for the bits of a row `d`. */
  bitsSql: string;
  /** Bytes that the names may take. */
  maxBytes: number;
};

/** Pages of PostgreSQL that one statement of a load reads: some 10,000 names, read in a few hundredths of a second. */
const PAGES_AT_ONCE = 500;

const columnsSql = (bitsSql: string): string => `
  d.chain_id, d.node, ${bitsSql}, case when d.is_label_known then lower(d.label) end, d.label_length, d.resolver,
  least(d.expiry_timestamp, ${LAST_TIME})::bigint, least(d.wrapper_expiry_timestamp, ${LAST_TIME})::bigint,
  least(d.path_expiry_timestamp, ${LAST_TIME})::bigint`;

type Values = [number, string, string, string | null, number | null, string | null, string, string, string];

const toRow = ([, node, bits, label, labelLength, resolver, expiry, wrapper, path]: Values): NameRow => ({
  ...{ node, bits: Number(bits), label, labelLength, resolver },
  expiryTimestamp: Number(expiry),
  wrapperExpiryTimestamp: Number(wrapper),
  pathExpiryTimestamp: Number(path),
});

const rowsOf = async (client: pg.ClientBase, text: string, values: unknown[]): Promise<Values[]> =>
  (await client.query<Values>({ text, values, rowMode: "array" })).rows;

/** The state of the tables and the snapshot that it is read in. */
async function readState(client: pg.ClientBase): Promise<{ version: string; snapshot: string }> {
  const { rows } = await client.query<{ version: string; snapshot: string }>(
    `select ${tablesVersionOf("domains")} as version, pg_current_snapshot()::text as snapshot`,
  );
  return rows[0] as { version: string; snapshot: string };
}

/**
 * Loads all names, piece by piece: no piece is in the way of the indexer, nor of a reorganisation, for longer than a few hundredths of
 * a second. What is written meanwhile, and what a piece has from before or after a write, is read again by `advance`.
 *
 * @returns names that stand on no state yet; null while nothing notes writes
 * @throws NameStoreFull if they take too much memory
 */
export async function loadNames(
  { client, schema, bitsSql, maxBytes }: Source,
  ended: AbortSignal,
): Promise<Names | null> {
  if (!(await isNoted(client, schema))) return null;
  const { snapshot } = await readState(client);
  const names: Names = { tables: new Map(), version: "", snapshot };
  const { rows } = await client.query<{ pages: number; names: number }>(
    `select (pg_relation_size(oid) / current_setting('block_size')::int)::int as pages, greatest(reltuples, 0)::float8 as names
     from pg_class where oid = $1::regclass`,
    [`"${schema}".domains`],
  );
  const { pages, names: expected } = rows[0] as { pages: number; names: number };
  const text = `select ${columnsSql(bitsSql)} from "${schema}".domains d where d.ctid >= $1::tid and d.ctid < $2::tid`;
  for (let page = 0; page < pages; page += PAGES_AT_ONCE) {
    ended.throwIfAborted();
    const read = await rowsOf(client, text, [`(${page},0)`, `(${page + PAGES_AT_ONCE},0)`]);
    put(names, read, { maxBytes, expected });
    await setImmediate();
  }
  return names;
}

function put(
  names: Names,
  rows: readonly Values[],
  { maxBytes, expected }: { maxBytes: number; expected: number },
) {
  for (const row of rows) {
    const [chainId] = row;
    const table = names.tables.get(chainId) ?? createNameTable(names.tables.size === 0 ? expected : 0);
    names.tables.set(chainId, table);
    table.put(toRow(row));
  }
  if (bytesOf(names) > maxBytes) throw new NameStoreFull("Names take more memory than NAME_STORE_MB allows.");
}

/** Bytes of memory that names take. */
export const bytesOf = ({ tables }: Pick<Names, "tables">): number =>
  [...tables.values()].reduce((sum, table) => sum + table.bytes(), 0);

/**
 * Brings names to the state of the tables now. The rows are read in one snapshot and then written without a pause, so that no
 * question sees a part of them.
 *
 * @returns false if the names have to be loaded again
 */
export async function advance(names: Names, { client, schema, bitsSql, maxBytes }: Source): Promise<boolean> {
  await client.query("begin isolation level repeatable read read only");
  try {
    const state = await readState(client);
    const touched = await readTouched(client, schema, names.snapshot);
    const rows = touched.lost
      ? new Map<string, Values>()
      : await readRows({ client, schema, bitsSql }, touched);
    await client.query("commit");
    if (touched.lost) return false;
    for (const [i, node] of touched.nodes.entries())
      if (!rows.has(keyOf(touched.chainIds[i], node)))
        names.tables.get(touched.chainIds[i] as number)?.remove(node);
    put(names, [...rows.values()], { maxBytes, expected: 0 });
    Object.assign(names, state);
    return true;
  } catch (error) {
    await client.query("rollback").catch(() => {}); // The first error says more.
    throw error;
  }
}

const keyOf = (chainId: number | undefined, node: string): string => `${chainId} ${node}`;

async function readRows(
  { client, schema, bitsSql }: Omit<Source, "maxBytes">,
  { chainIds, nodes }: { chainIds: readonly number[]; nodes: readonly string[] },
): Promise<Map<string, Values>> {
  if (nodes.length === 0) return new Map();
  const rows = await rowsOf(
    client,
    `select ${columnsSql(bitsSql)} from unnest($1::int[], $2::text[]) as touched (chain_id, node)
     join "${schema}".domains d on d.chain_id = touched.chain_id and d.node = touched.node`,
    [chainIds, nodes],
  );
  return new Map(rows.map((row) => [keyOf(row[0], row[1]), row]));
}
