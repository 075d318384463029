// Part of the patch logSync: past logs from an archive, which `npm run logs -- export` writes.

import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import type { Hex, Interval } from "../backfill/logGroups.ts";
import { type ArchiveTable, type Part, readManifest, requireFiles, requireSums } from "./archiveManifest.ts";
import { literal, openDuckDb, readColumns } from "./duckDb.ts";
import { type LogSource, MOST_INDEX, MOST_TIME, SourceError, type SourceLog } from "./logSource.ts";

/** @throws SourceError if the folder has no archive of this chain, or not all of it */
export async function openArchive(folder: string, chainId: number): Promise<LogSource> {
  const { manifest, sha256 } = await readManifest(folder);
  if (manifest.chain_id !== chainId) {
    throw new SourceError(`${folder} is an archive of chain ${manifest.chain_id}, not of chain ${chainId}`);
  }
  await requireFiles(folder, manifest);
  const connection = await openDuckDb();
  const checked = new Map<Part, Promise<void>>();
  const covered = new Map(
    Object.entries(manifest.filters).map(([name, ranges]) => [name.toLowerCase(), ranges]),
  );

  const check = (part: Part): Promise<void> => {
    const known = checked.get(part) ?? checkPart(connection, folder, part);
    checked.set(part, known);
    return known;
  };

  // A connection gives the rows of one query at a time.
  let turn: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const next = turn.then(work);
    turn = next.catch(() => {});
    return next;
  };

  return {
    // An archive that was made again is another source.
    name: `${folder} (manifest ${sha256.slice(0, 12)})`,
    last: manifest.last as LogSource["last"],
    covered: (names) => union(names.flatMap((name) => covered.get(name.toLowerCase()) ?? [])),
    count: manifest.parts.reduce((sum, part) => sum + part.logs.rows, 0),
    givesAll: true,
    logs: (_, [from, to]) =>
      inTurn(async () => {
        const parts = manifest.parts.filter((part) => part.first_block <= to && part.last_block >= from);
        const found: SourceLog[] = [];
        for (const part of parts) {
          await check(part);
          await readLogs(connection, { folder, part, from, to }, found);
        }
        return found;
      }),
    hashOf: async (block) =>
      [manifest.first, manifest.last].find(({ number }) => number === block)?.hash ?? null,
  };
}

const pathOf = (folder: string, part: Part, table: ArchiveTable): string =>
  `read_parquet(${literal(join(folder, part[table].file))})`;

/** Conditions for the rows of a table; what does not fulfil them is no row of a chain. */
const isIndex = (column: string): string => `${column} between 0 and ${MOST_INDEX}`;
const conditions: Record<ArchiveTable, string> = {
  logs: `octet_length(address) = 20 and coalesce(octet_length(topic0), 32) = 32 and coalesce(octet_length(topic1), 32) = 32 and coalesce(octet_length(topic2), 32) = 32 and coalesce(octet_length(topic3), 32) = 32 and data is not null and ${isIndex("log_index")} and ${isIndex("transaction_index")}`,
  transactions: `octet_length(hash) = 32 and coalesce(octet_length("from"), 20) = 20 and coalesce(octet_length("to"), 20) = 20 and coalesce(regexp_matches(value, '^[0-9]{1,78}$'), true) and ${isIndex("transaction_index")}`,
  blocks: `octet_length(hash) = 32 and timestamp between 1 and ${MOST_TIME}`,
};

/**
 * @throws SourceError if a file is not the manifest's, or holds what is no log
 */
export async function checkPart(connection: DuckDBConnection, folder: string, part: Part): Promise<void> {
  await requireSums(folder, part);
  const { first_block: first, last_block: last } = part;
  for (const table of ["logs", "transactions", "blocks"] as const) {
    const block = table === "blocks" ? "number" : "block_number";
    const isRight = `${block} between ${first} and ${last} and ${conditions[table]}`;
    const rows = readColumns(
      connection,
      `select count(*)::integer, count(*) filter (${isRight})::integer from ${pathOf(folder, part, table)}`,
    );
    const [found, right] = await firstRow(rows, join(folder, part[table].file));
    if (found === part[table].rows && right === found) continue;
    throw new SourceError(
      `${join(folder, part[table].file)} has ${found} rows, ${Number(found) - Number(right)} of them malformed; the manifest says ${part[table].rows}`,
    );
  }
  const orphans = readColumns(
    connection,
    `select count(*)::integer from (${selectLogs(folder, part)}) where block_hash is null or transaction_hash is null`,
  );
  const [lost] = await firstRow(orphans, join(folder, part.logs.file));
  if (lost !== 0)
    throw new SourceError(
      `${join(folder, part.logs.file)} has ${lost} logs without a block or a transaction`,
    );
}

async function firstRow(rows: AsyncIterable<unknown[][]>, path: string): Promise<unknown[]> {
  try {
    for await (const columns of rows) return columns.map((column) => column[0]);
  } catch (error) {
    throw new SourceError(`${path} cannot be read: ${(error as Error).message.split("\n")[0]}`);
  }
  return [];
}

const selectLogs = (folder: string, part: Part): string =>
  `select l.block_number, l.log_index, l.transaction_index, b.hash as block_hash, b.timestamp, t.hash as transaction_hash, l.address, l.topic0,
     l.topic1, l.topic2, l.topic3, l.data, t."from", t."to", t.input, t.value
   from ${pathOf(folder, part, "logs")} l left join ${pathOf(folder, part, "blocks")} b on b.number = l.block_number
   left join ${pathOf(folder, part, "transactions")} t on t.block_number = l.block_number and t.transaction_index = l.transaction_index`;

/** Columns of bytes, as hexadecimal digits without their mark: DuckDB makes these faster. */
const words = [
  "block_hash",
  "transaction_hash",
  "address",
  "topic0",
  "topic1",
  "topic2",
  "topic3",
  "data",
  `"from"`,
  `"to"`,
  "input",
];

type Blocks = { folder: string; part: Part; from: number; to: number };

async function readLogs(
  connection: DuckDBConnection,
  { folder, part, from, to }: Blocks,
  found: SourceLog[],
): Promise<void> {
  const hex = words.map((word) => `'0x' || lower(hex(${word}))`);
  const rows = readColumns(
    connection,
    `select block_number::integer, log_index::integer, transaction_index::integer, timestamp::bigint, value::varchar, ${hex.join(", ")}
     from (${selectLogs(folder, part)}) where block_number between ${from} and ${to}`,
  );
  for await (const [
    blocks = [],
    logIndexes = [],
    transactionIndexes = [],
    times = [],
    values = [],
    ...texts
  ] of rows) {
    const text = (column: number, row: number) => texts[column]?.[row] as Hex | null;
    for (let row = 0; row < blocks.length; row++) {
      const log: SourceLog = {
        blockNumber: toHex(blocks[row]),
        blockHash: text(0, row) as Hex,
        blockTimestamp: toHex(times[row]),
        logIndex: toHex(logIndexes[row]),
        transactionIndex: toHex(transactionIndexes[row]),
        transactionHash: text(1, row) as Hex,
        address: text(2, row) as Hex,
        topics: [3, 4, 5, 6].map((column) => text(column, row)).filter((topic) => topic !== null),
        data: text(7, row) as Hex,
      };
      const sender = text(8, row);
      if (sender !== null) {
        log.transaction = {
          ...placeOf(log),
          from: sender,
          to: text(9, row),
          input: text(10, row) ?? "0x",
          value: `0x${BigInt(String(values[row] ?? 0)).toString(16)}`,
        };
      }
      found.push(log);
    }
  }
}

const toHex = (number: unknown): Hex => `0x${Number(number).toString(16)}`;

/** What handlers read of no transaction stands as zero. */
const placeOf = ({ blockNumber, blockHash, transactionIndex, transactionHash }: SourceLog) => ({
  blockNumber,
  blockHash,
  transactionIndex,
  hash: transactionHash,
  nonce: "0x0" as const,
  gas: "0x0" as const,
  type: "0x0" as const,
});

/** Ranges in order, without overlaps. */
function union(ranges: readonly (readonly [number, number])[]): Interval[] {
  const merged: Interval[] = [];
  for (const [from, to] of ranges.toSorted((a, b) => a[0] - b[0])) {
    const before = merged.at(-1);
    if (before !== undefined && from <= before[1] + 1) before[1] = Math.max(before[1], to);
    else merged.push([from, to]);
  }
  return merged;
}
