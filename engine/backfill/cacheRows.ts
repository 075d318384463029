// Part of the patch logSync: writes logs, blocks and transactions into Ponder's cache.

import type { Hex } from "./logGroups.ts";

/** A log as a node gives it. */
export type NodeLog = {
  blockNumber: Hex;
  blockHash: Hex;
  logIndex: Hex;
  transactionIndex: Hex;
  transactionHash: Hex;
  address: Hex;
  topics: Hex[];
  data: Hex;
  /** The time of its block, if the node gives it. */
  blockTimestamp?: Hex;
  /** Its transaction, if the source gave it with the log. */
  transaction?: Transaction;
};

declare global {
  /** Remove what must not be stored from the data of a log and the input of a transaction (src/indexing/shortNameClaims.ts). */
  var namedexStorable:
    | { data: (log: Pick<NodeLog, "topics" | "data">) => Hex; input: (input: Hex) => Hex }
    | undefined;
}

/** A log as it may be stored. Every log passes here before it is read, compared or written. */
export function storable<Log extends Pick<NodeLog, "topics" | "data" | "transaction">>(log: Log): Log {
  const data = globalThis.namedexStorable?.data(log) ?? log.data;
  const transaction = log.transaction && storableTransaction(log.transaction);
  return data === log.data && transaction === log.transaction ? log : { ...log, data, transaction };
}

/** The same of a transaction. */
export function storableTransaction<Given extends { input?: Hex }>(transaction: Given): Given {
  if (transaction.input === undefined || globalThis.namedexStorable === undefined) return transaction;
  const input = globalThis.namedexStorable.input(transaction.input);
  return input === transaction.input ? transaction : { ...transaction, input };
}

export type Block = { number: Hex; hash: Hex; timestamp: Hex };
export type Transaction = {
  hash: Hex;
  blockHash: Hex;
  blockNumber: Hex;
  transactionIndex: Hex;
  input?: Hex;
};

type Row = Record<string, unknown>;

/** Ponder's encoders of cache rows (sync-store/encode.js). */
export type Encoders = {
  encodeLog: (from: { log: NodeLog; chainId: number }) => Row;
  encodeBlock: (from: { block: Block; chainId: number }) => Row;
  encodeTransaction: (from: { transaction: Transaction; chainId: number }) => Row;
};

export type Cache = {
  /** Inserts rows given as JSON. Existing rows stay. */
  insertRows: (table: "logs" | "blocks" | "transactions", rows: string) => Promise<void>;
};

type Fetched = {
  ponder: Encoders;
  chainId: number;
  fetched: readonly { block: Block; transactions: readonly Transaction[]; logs: readonly NodeLog[] }[];
};

/** Rows in one statement. A PostgreSQL parameter has at most 1 GiB, and a log can exceed 100 KB. */
const ROWS_AT_ONCE = 2_000;

/** The rows of each statement. */
export const inParts = <Item>(rows: readonly Item[]): Item[][] => chunksOf(rows, ROWS_AT_ONCE);

export const chunksOf = <Item>(items: readonly Item[], size: number): Item[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size));

/** Stores blocks with their logs and transactions. Call it in the transaction that records the interval. */
export async function writeLogs(cache: Cache, { ponder, chainId, fetched }: Fetched): Promise<void> {
  const insert = async (table: Parameters<Cache["insertRows"]>[0], rows: readonly Row[]) => {
    for (const part of inParts(rows)) await cache.insertRows(table, jsonRows(part));
  };
  await insert(
    "blocks",
    fetched.map(({ block }) => ponder.encodeBlock({ block, chainId })),
  );
  await insert(
    "transactions",
    fetched.flatMap(({ transactions }) =>
      transactions.map((transaction) => ponder.encodeTransaction({ transaction, chainId })),
    ),
  );
  await insert(
    "logs",
    fetched.flatMap(({ logs }) => logs.map((log) => ponder.encodeLog({ log, chainId }))),
  );
}

const sqlNames = new Map<string, string>();

/** The name in SQL of a column of Ponder's cache; there are some dozen of them. */
function sqlNameOf(column: string): string {
  const known = sqlNames.get(column);
  if (known !== undefined) return known;
  const name = column.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  sqlNames.set(column, name);
  return name;
}

function toJson(row: Record<string, unknown>): Record<string, unknown> {
  const columns: Record<string, unknown> = {};
  for (const column in row) {
    const value = row[column];
    columns[sqlNameOf(column)] = typeof value === "bigint" ? value.toString() : value;
  }
  return columns;
}

/** Rows of Ponder's cache as one parameter for `json_populate_recordset`. */
export const jsonRows = (rows: readonly Record<string, unknown>[]): string =>
  JSON.stringify(rows.map(toJson));
