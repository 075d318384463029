import { setImmediate } from "node:timers/promises";
import type pg from "pg";
import { tablesVersionOf } from "../../../engine/ponderInternals.ts";
import { UNKNOWN_LABEL } from "../rules/shownNames.ts";
import { createNameTable, type NameRow, NameStoreFull, type NameTable } from "./nameTable.ts";
import { LAST_TIME, type RowSql } from "./tests.ts";
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
  sql: RowSql;
  /** Bytes that the names may take. */
  maxBytes: number;
};

/** Pages of PostgreSQL that one statement of a load reads: some 10,000 names, read in a few hundredths of a second. */
const PAGES_AT_ONCE = 500;

const columnsSql = ({ bits }: RowSql): string => `
  d.chain_id, d.node, ${bits}, texts.label, texts.name, d.label_length, d.resolver,
  least(d.expiry_timestamp, ${LAST_TIME})::bigint, least(d.wrapper_expiry_timestamp, ${LAST_TIME})::bigint,
  least(d.path_expiry_timestamp, ${LAST_TIME})::bigint`;

/** SQL for the texts by which a row `d` is found: in lower case, and without the labels that are not known. */
const textsSql = ({ isCounted }: RowSql): string => `
  left join lateral (
    select lower(case when d.is_label_known then d.label end) as label,
      lower(case when d.is_name_known then d.full_name
        else regexp_replace(d.full_name, '${UNKNOWN_LABEL.source}', '', 'g') end) as name
    where ${isCounted} offset 0) as texts on true`;

type Values = [
  ...[chainId: number, node: string, bits: string, label: string | null, name: string | null],
  ...[labelLength: number | null, resolver: string | null, expiry: string, wrapper: string, path: string],
];

const toRow = ([, node, bits, label, name, ...others]: Values): NameRow => {
  const [labelLength, resolver, expiry, wrapper, path] = others;
  const text = name ?? "";
  const isJoined = label !== null && `${text}.`.startsWith(`${label}.`);
  const rest = isJoined ? text.slice(label.length) : text;
  return {
    ...{ node, bits: Number(bits), label, isJoined, rest, labelLength, resolver },
    expiryTimestamp: Number(expiry),
    wrapperExpiryTimestamp: Number(wrapper),
    pathExpiryTimestamp: Number(path),
  };
};

const rowsOf = async (client: pg.ClientBase, text: string, values: unknown[]): Promise<Values[]> =>
  (await client.query<Values>({ text, values, rowMode: "array" })).rows;

/**
 * The state of the tables, and the snapshot that it is read in. A standby does not say which transactions are under way (its list
 * in `pg_current_snapshot` is empty): there, all from the oldest of them on count as not seen.
 */
async function readState(
  client: pg.ClientBase,
  isStandby: boolean,
): Promise<{ version: string; snapshot: string }> {
  const snapshot = isStandby
    ? "format('%1$s:%1$s:', pg_snapshot_xmin(pg_current_snapshot()))"
    : "pg_current_snapshot()::text";
  const { rows } = await client.query<{ version: string; snapshot: string }>(
    `select ${tablesVersionOf("domains")} as version, ${snapshot} as snapshot`,
  );
  return rows[0] as { version: string; snapshot: string };
}

/** Asked before a snapshot is taken: a standby can be promoted, and not the other way round. */
async function readIsStandby(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ is: boolean }>("select pg_is_in_recovery() as is");
  return rows[0]?.is ?? true;
}

/**
 * Loads all names, piece by piece: no piece is in the way of the indexer, nor of a reorganisation, for longer than a few hundredths of
 * a second. What is written meanwhile, and what a piece has from before or after a write, is read again by `advance`.
 *
 * @returns names that stand on no state yet; null while nothing notes writes
 * @throws NameStoreFull if they take too much memory
 */
export async function loadNames(
  { client, schema, sql, maxBytes }: Source,
  ended: AbortSignal,
): Promise<Names | null> {
  if (!(await isNoted(client, schema))) return null;
  const { snapshot } = await readState(client, await readIsStandby(client));
  const domains = `"${schema}".domains`;
  const names: Names = { tables: await createTables(client, domains), version: "", snapshot };
  requireRoom(names, maxBytes);
  const { rows } = await client.query<{ pages: number }>(
    "select (pg_relation_size($1::regclass) / current_setting('block_size')::int)::int as pages",
    [domains],
  );
  const pages = rows[0]?.pages ?? 0;
  const text = `select ${columnsSql(sql)} from ${domains} d ${textsSql(sql)} where d.ctid >= $1::tid and d.ctid < $2::tid`;
  for (let page = 0; page < pages; page += PAGES_AT_ONCE) {
    ended.throwIfAborted();
    const read = await rowsOf(client, text, [`(${page},0)`, `(${page + PAGES_AT_ONCE},0)`]);
    put(names, read, maxBytes);
    await setImmediate();
  }
  return names;
}

/** A table for each chain, with room for its names. */
async function createTables(client: pg.ClientBase, domains: string): Promise<Names["tables"]> {
  const { rows } = await client.query<{ chain_id: number; names: number }>(
    `select chain_id, count(*)::float8 as names from ${domains} group by chain_id`,
  );
  return new Map(rows.map(({ chain_id, names }) => [chain_id, createNameTable(names)]));
}

function put(names: Names, rows: readonly Values[], maxBytes: number): void {
  for (const row of rows) {
    const [chainId] = row;
    const table = names.tables.get(chainId) ?? createNameTable(0);
    names.tables.set(chainId, table);
    table.put(toRow(row));
  }
  requireRoom(names, maxBytes);
}

function requireRoom(names: Names, maxBytes: number): void {
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
export async function advance(names: Names, { maxBytes, ...source }: Source): Promise<boolean> {
  const { client, schema } = source;
  const isStandby = await readIsStandby(client);
  await client.query("begin isolation level repeatable read read only");
  try {
    const state = await readState(client, isStandby);
    const touched = await readTouched(client, schema, names.snapshot);
    const rows = touched.lost ? new Map<string, Values>() : await readRows(source, touched);
    await client.query("commit");
    if (touched.lost) return false;
    names.version = ""; // Of no state, if a row cannot be stored.
    for (const [i, node] of touched.nodes.entries())
      if (!rows.has(keyOf(touched.chainIds[i], node)))
        names.tables.get(touched.chainIds[i] as number)?.remove(node);
    put(names, [...rows.values()], maxBytes);
    Object.assign(names, state);
    return true;
  } catch (error) {
    await client.query("rollback").catch(() => {}); // The first error says more.
    throw error;
  }
}

const keyOf = (chainId: number | undefined, node: string): string => `${chainId} ${node}`;

async function readRows(
  { client, schema, sql }: Omit<Source, "maxBytes">,
  { chainIds, nodes }: { chainIds: readonly number[]; nodes: readonly string[] },
): Promise<Map<string, Values>> {
  if (nodes.length === 0) return new Map();
  const rows = await rowsOf(
    client,
    `select ${columnsSql(sql)} from unnest($1::int[], $2::text[]) as touched (chain_id, node)
     join "${schema}".domains d on d.chain_id = touched.chain_id and d.node = touched.node ${textsSql(sql)}`,
    [chainIds, nodes],
  );
  return new Map(rows.map((row) => [keyOf(row[0], row[1]), row]));
}
