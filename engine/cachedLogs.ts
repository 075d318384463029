import { CACHE_SCHEMA } from "./cacheSchema.ts";
import type { Query } from "./ponderInternals.ts";

// The only place that knows the columns of the tables in which Ponder 0.17.7 caches logs (node_modules/ponder/dist/esm/
// sync-store).

/** Logs that Ponder requested, and the blocks it has them for; null means any address or topic. */
export type CachedFilter = {
  /** Each contract with the first block whose logs are wanted. */
  contracts: ReadonlyMap<string, number> | null;
  topics: readonly [string | null, string | null, string | null, string | null];
  /** First and last block of each range. */
  ranges: [number, number][];
};

/** A log as it is cached, or as a node gives it. */
export type CachedLog = {
  blockNumber: number;
  logIndex: number;
  transactionIndex: number;
  blockHash: string;
  transactionHash: string;
  address: string;
  topics: (string | null)[];
  data: string;
};

/**
 * A filter's name: `log_<chain>_<address>_<topic0>_<topic1>_<topic2>_<topic3>_<receipts>`. Where logs tell of the
 * contracts (a factory), the address is `<emitter>_<topic of these logs>_<where they have the contract>`.
 * Source: runtime/fragments.js, `encodeFragment`.
 */
const filterName =
  /^log_\d+_(0x[0-9a-f]{40}|null)(_0x\w+_(?:topic|offset)\d+)?_(0x\w+|null)_(0x\w+|null)_(0x\w+|null)_(0x\w+|null)_[01]$/i;

const orAny = (word = "null"): string | null => (word === "null" ? null : word.toLowerCase());

/** Whether the database has such a cache. */
export async function hasCache(query: Query): Promise<boolean> {
  const [row] = await query<{ has: boolean }>(
    `select to_regclass('${CACHE_SCHEMA}.intervals') is not null as has`,
  );
  return row?.has ?? false;
}

/** The filters of a chain. A range is stored with its end counted one up. Source: sync-store/index.js. */
export async function listCachedFilters(query: Query, chainId: number): Promise<CachedFilter[]> {
  const rows = await query<{ name: string; ranges: [number, number][] }>(
    `select fragment_id as name, json_agg(json_build_array(lower(r), upper(r) - 1) order by lower(r)) as ranges
     from ${CACHE_SCHEMA}.intervals, unnest(blocks) as r where chain_id = ${Number(chainId)} group by fragment_id`,
  );
  const found = await listFoundContracts(query, chainId);
  return rows.flatMap(({ name, ranges }): CachedFilter[] => {
    const [, address = "null", factory, topic0, topic1, topic2, topic3] = filterName.exec(name) ?? [];
    if (topic0 === undefined) return [];
    const topics = [orAny(topic0), orAny(topic1), orAny(topic2), orAny(topic3)] as const;
    if (factory !== undefined) {
      return [{ contracts: found.get(`${address}${factory}`.toLowerCase()) ?? new Map(), topics, ranges }];
    }
    const one = orAny(address);
    return [{ contracts: one === null ? null : new Map([[one, 0]]), topics, ranges }];
  });
}

/** Ponder's names of the parts of a chain's filters, with the ranges that the cache has of them, up to a block. */
export async function listFragments(
  query: Query,
  { chainId, to }: { chainId: number; to: number },
): Promise<Record<string, [number, number][]>> {
  const rows = await query<{ name: string; ranges: [number, number][] }>(
    `select fragment_id as name, json_agg(json_build_array(lower(r), least(upper(r) - 1, ${Number(to)})) order by lower(r)) as ranges
     from ${CACHE_SCHEMA}.intervals, unnest(blocks) as r where chain_id = ${Number(chainId)} and lower(r) <= ${Number(to)}
     group by fragment_id order by fragment_id`,
  );
  return Object.fromEntries(rows.map(({ name, ranges }) => [name, ranges]));
}

/** The first and the last block that have cached logs; null if none has. */
export async function findCachedEnds(query: Query, chainId: number) {
  const end = async (order: "asc" | "desc") => {
    const [row] = await query<{ number: number; hash: string }>(
      `select number::float8 as number, hash from ${CACHE_SCHEMA}.blocks where chain_id = ${Number(chainId)}
       order by chain_id ${order}, number ${order} limit 1`,
    );
    return row;
  };
  const [first, last] = [await end("asc"), await end("desc")];
  return first === undefined || last === undefined ? null : { first, last };
}

/** The contracts that logs told of, by the factory's name in filters, with the block of the first such log. */
async function listFoundContracts(query: Query, chainId: number): Promise<Map<string, Map<string, number>>> {
  const rows = await query<{ name: string; contract: string; block: string }>(
    `select lower(emitter || '_' || (factory ->> 'eventSelector') || '_' || (factory ->> 'childAddressLocation')) as name,
       lower(a.address) as contract, min(a.block_number)::text as block
     from ${CACHE_SCHEMA}.factory_addresses a join ${CACHE_SCHEMA}.factories f on f.id = a.factory_id,
       jsonb_array_elements_text(case jsonb_typeof(factory -> 'address')
         when 'array' then factory -> 'address' else jsonb_build_array(factory -> 'address') end) as emitter
     where a.chain_id = ${Number(chainId)} group by 1, 2`,
  );
  const found = new Map<string, Map<string, number>>();
  for (const { name, contract, block } of rows) {
    const contracts = found.get(name) ?? new Map<string, number>();
    found.set(name, contracts.set(contract, Number(block)));
  }
  return found;
}

type LogRow = Record<
  "block" | "log_index" | "transaction_index" | "block_hash" | "transaction_hash" | "address" | "data",
  string
> &
  Record<"topic0" | "topic1" | "topic2" | "topic3", string | null>;

type Blocks = { chainId: number; from: number; to: number };

const ofBlocks = ({ chainId, from, to }: Blocks): string =>
  `chain_id = ${Number(chainId)} and block_number between ${Number(from)} and ${Number(to)}`;

/** The cached logs of some blocks. */
export async function listCachedLogs(query: Query, blocks: Blocks): Promise<CachedLog[]> {
  const rows = await query<LogRow>(
    `select block_number::text as block, log_index::text, transaction_index::text, block_hash, transaction_hash, address, topic0, topic1, topic2,
       topic3, data from ${CACHE_SCHEMA}.logs where ${ofBlocks(blocks)}`,
  );
  return rows.map(
    ({ block, log_index, transaction_index, block_hash, transaction_hash, address, data, ...row }) => ({
      blockNumber: Number(block),
      logIndex: Number(log_index),
      transactionIndex: Number(transaction_index),
      blockHash: block_hash.toLowerCase(),
      transactionHash: transaction_hash.toLowerCase(),
      address: address.toLowerCase(),
      topics: [row.topic0, row.topic1, row.topic2, row.topic3],
      data,
    }),
  );
}

/** The times of some blocks, in unix seconds. */
export async function listCachedTimes(
  query: Query,
  { chainId, from, to }: Blocks,
): Promise<Map<number, number>> {
  const rows = await query<{ number: number; time: number }>(
    `select number::float8 as number, timestamp::float8 as time from ${CACHE_SCHEMA}.blocks
     where chain_id = ${Number(chainId)} and number between ${Number(from)} and ${Number(to)}`,
  );
  return new Map(rows.map(({ number, time }) => [number, time]));
}

/** The first block from this one on that has a cached log; null if none has. */
export async function findCachedBlock(
  query: Query,
  { chainId, from }: Omit<Blocks, "to">,
): Promise<number | null> {
  const [row] = await query<{ block: string }>(
    `select block_number::text as block from ${CACHE_SCHEMA}.logs
     where chain_id = ${Number(chainId)} and block_number >= ${Number(from)} order by chain_id, block_number limit 1`,
  );
  return row === undefined ? null : Number(row.block);
}

/**
 * Removes some blocks with their logs, and the note that they were fetched. An index that is built later fetches them again. Call
 * it in a transaction, while no indexer runs: an indexer remembers what it found in the cache when it started.
 *
 * @returns how many logs and filters it concerned
 */
export async function forgetBlocks(query: Query, blocks: Blocks): Promise<{ logs: number; filters: number }> {
  const [filters] = await query<{ count: number }>(
    `with changed as (
       update ${CACHE_SCHEMA}.intervals set blocks = ${withoutBlocks(blocks)}
       where chain_id = ${Number(blocks.chainId)} and blocks && ${rangeOf(blocks)} returning 1)
     select count(*)::int as count from changed`,
  );
  const [logs] = await query<{ count: number }>(
    `with gone as (delete from ${CACHE_SCHEMA}.logs where ${ofBlocks(blocks)} returning 1)
     select count(*)::int as count from gone`,
  );
  // What a false source said of them would stay: rows that are there are not written again.
  const { chainId, from, to } = blocks;
  await query(
    `delete from ${CACHE_SCHEMA}.blocks where chain_id = ${Number(chainId)} and number between ${Number(from)} and ${Number(to)}`,
  );
  for (const table of ["transactions", "factory_addresses"]) {
    await query(`delete from ${CACHE_SCHEMA}.${table} where ${ofBlocks(blocks)}`);
  }
  return { logs: logs?.count ?? 0, filters: filters?.count ?? 0 };
}

/** Open at both ends: what stays on the left ends with `[`..`from]`, which Ponder reads as "to the block before". */
const rangeOf = ({ from, to }: Blocks): string =>
  `nummultirange(numrange(${Number(from)}, ${Number(to) + 1}, '()'))`;

/** Ponder reads ranges closed at both ends, and a range without a length would be of no block. */
const withoutBlocks = (blocks: Blocks): string =>
  `(select coalesce(range_agg(r), '{}') from unnest(blocks - ${rangeOf(blocks)}) as r where lower(r) < upper(r))`;
