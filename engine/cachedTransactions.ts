import { type Encoders, inParts, jsonRows } from "./backfill/cacheRows.ts";
import type { Hex } from "./backfill/logGroups.ts";
import { checkTransaction } from "./backfill/thinBlocks.ts";
import { CACHE_SCHEMA } from "./cacheSchema.ts";
import { ponderModule } from "./ponderModule.ts";

// Transactions stored in the cache after the index is ready, as the backfill would have stored them.

type Queries = {
  query: <Row extends Record<string, unknown>>(text: string, values?: unknown[]) => Promise<Row[]>;
};

/** The place of a transaction, and its hash from the log. */
export type TransactionPlace = { blockNumber: number; transactionIndex: number; hash: Hex };

/** The fields of a transaction that handlers read. */
export type ReadTransaction = { hash: Hex; from: Hex; to: Hex | null; input: Hex };

/** The cached ones among some transactions, each with the size of its input in bytes. */
export async function sizesOfCached(
  { query }: Queries,
  chainId: number,
  places: readonly TransactionPlace[],
): Promise<Map<Hex, number>> {
  const rows = await query<{ hash: Hex; bytes: number }>(
    `select hash, octet_length(input) / 2 as bytes from ${CACHE_SCHEMA}.transactions ${at}`,
    valuesOf(chainId, places),
  );
  return new Map(rows.map(({ hash, bytes }) => [hash, bytes]));
}

/** The cached ones among some transactions. */
export const listCached = (
  { query }: Queries,
  chainId: number,
  places: readonly TransactionPlace[],
): Promise<ReadTransaction[]> =>
  query(
    `select hash, "from", "to", input from ${CACHE_SCHEMA}.transactions ${at}`,
    valuesOf(chainId, places),
  );

const at = `where chain_id = $1 and (block_number, transaction_index, hash) in
  (select * from unnest($2::bigint[], $3::int[], $4::text[]))`;

const valuesOf = (chainId: number, places: readonly TransactionPlace[]) => [
  chainId,
  places.map(({ blockNumber }) => blockNumber),
  places.map(({ transactionIndex }) => transactionIndex),
  places.map(({ hash }) => hash),
];

const isBytes = (value: unknown): value is Hex =>
  typeof value === "string" && /^0x([0-9a-f]{2})*$/i.test(value);
const isAddress = (value: unknown): value is Hex => isBytes(value) && value.length === 42;

/**
 * Stores a transaction from a node's answer.
 *
 * @throws Error if it is a different transaction, or invalid
 */
export async function storeTransaction(
  { query }: Queries,
  chainId: number,
  place: TransactionPlace,
  given: unknown,
): Promise<ReadTransaction> {
  const [{ standardizeTransactions }, encoders] = (await Promise.all(
    ["rpc/actions.js", "sync-store/encode.js"].map(ponderModule),
  )) as [{ standardizeTransactions: (all: unknown[], request: object) => Parsed[] }, Encoders];
  const [transaction] = standardizeTransactions([given], {}) as [Parsed];
  const { from, to, input, blockHash } = transaction;
  const { transactionIndex } = place;
  checkTransaction(
    {
      blockHash: await hashOfBlock({ query }, chainId, place, blockHash),
      transactionHash: place.hash,
      transactionIndex,
    },
    transaction,
  );
  if (!isAddress(from) || !(to === null || isAddress(to)) || !isBytes(input))
    throw new Error(`Transaction ${place.hash} cannot be read`);
  await insertTransactions(query, [encoders.encodeTransaction({ transaction, chainId })]);
  return { hash: place.hash, from: lower(from), to: to && lower(to), input };
}

/**
 * Stores transactions whose blocks are cached. While they are fetched, the blocks may be removed with those of a false source. So one
 * statement both looks and stores, and the removal waits for it (`noteFalseSource`).
 */
export async function insertTransactions(
  query: (text: string) => Promise<unknown>,
  rows: readonly Record<string, unknown>[],
): Promise<void> {
  for (const part of inParts(rows)) {
    await query(
      `insert into ${CACHE_SCHEMA}.transactions
       select t.* from json_populate_recordset(null::${CACHE_SCHEMA}.transactions, '${jsonRows(part).replaceAll("'", "''")}') as t
       where exists (select from ${CACHE_SCHEMA}.blocks as b
         where b.chain_id = t.chain_id and b.number = t.block_number and lower(b.hash) = lower(t.block_hash))
       on conflict do nothing`,
    );
  }
}

type Parsed = ReadTransaction & { blockHash: Hex; blockNumber: Hex; transactionIndex: Hex };

const lower = (address: Hex): Hex => address.toLowerCase() as Hex;

/** The cached hash of a block. If the block is not cached, as on uncached chains, returns the given hash. */
async function hashOfBlock(
  { query }: Queries,
  chainId: number,
  { blockNumber }: TransactionPlace,
  given: Hex,
): Promise<Hex> {
  const [block] = await query<{ hash: Hex }>(
    `select hash from ${CACHE_SCHEMA}.blocks where chain_id = $1 and number = $2`,
    [chainId, blockNumber],
  );
  return block?.hash ?? given;
}
