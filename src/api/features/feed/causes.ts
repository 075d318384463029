import type { Batch, BlockAt } from "./batch.ts";
import type { Changed, Window } from "./changes.ts";
import type { About } from "./source.ts";

/** The log that brought a change; without one only its block. */
export type Cause = { at: BlockAt; transactionHash: string | null; logIndex: number | null };

type Logged = {
  node: string;
  contractAddress: string;
  eventType: string;
  blockNumber: number;
  logIndex: number;
  transactionHash: string;
};

type Plan = { window: Window; nodes: readonly string[]; changed: readonly Changed[] };

/**
 * Finds the log that caused each change: the one named by the row, or the last log of the name that causes such
 * changes. Changes without one, such as a new name for an old node, belong to the newest block with logs.
 */
export async function causesOf(
  batch: Batch,
  { window, nodes, changed }: Plan,
): Promise<(one: Changed, slot: string, about: About) => Cause> {
  const logs = Map.groupBy(await listLogs(batch, window, nodes), ({ node }) => node);
  const own = changed.flatMap(({ source, row }) => source.cause?.(row).blockNumber ?? []);
  const logged = [...logs.values()].flatMap((list) => list.map(({ blockNumber }) => blockNumber));
  const blocks = await readBlocks(batch, [...own.filter(Number.isSafeInteger), ...logged]);
  const newest = await newestWithLogs(batch, window);
  const blockAt = (number: number): BlockAt | undefined => blocks.get(number);

  return ({ source, row }, slot, { node, resolver }) => {
    const written = source.cause?.(row);
    const at = written && blockAt(written.blockNumber);
    if (written && at) return { at, transactionHash: written.transactionHash, logIndex: written.logIndex };
    const causes = source.slots[slot]?.causes ?? [];
    const ofName = logs.get(node ?? "") ?? [];
    const ofRecords = source.table !== "domains";
    const brings = (log: Logged): boolean =>
      causes.includes(log.eventType) && (!ofRecords || log.contractAddress === resolver);
    const log = ofName.findLast(brings);
    const block = log && blockAt(log.blockNumber);
    if (log && block) return { at: block, transactionHash: log.transactionHash, logIndex: log.logIndex };
    return { at: newest, transactionHash: null, logIndex: null };
  };
}

const listLogs = (
  { db, chainId }: Batch,
  { from, to }: Window,
  nodes: readonly string[],
): Promise<Logged[]> =>
  db.query<Logged>(
    `select node, contract_address as "contractAddress", event_type as "eventType", block_number as "blockNumber",
       log_index as "logIndex", transaction_hash as "transactionHash"
     from events where chain_id = $1 and block_number > $2 and block_number <= $3 and node = any($4)
     order by block_number, log_index, ordinal`,
    [chainId, from, to.number, nodes],
  );

/** Blocks of the chain, by number. */
async function readBlocks(
  { db, chainId }: Batch,
  numbers: readonly number[],
): Promise<ReadonlyMap<number, BlockAt>> {
  const rows = await db.query<BlockAt>(
    `select number, hash, "timestamp"::float8 as "timestamp" from blocks where chain_id = $1 and number = any($2::int[])`,
    [chainId, [...new Set(numbers)]],
  );
  return new Map(rows.map((block) => [block.number, block]));
}

/** Every start has the blocks with logs in its journal, and not always the others. */
async function newestWithLogs(batch: Batch, { from, to }: Window): Promise<BlockAt> {
  const [row] = await batch.db.query<{ number: number | null }>(
    "select max(block_number) as number from events where chain_id = $1 and block_number > $2 and block_number <= $3",
    [batch.chainId, from, to.number],
  );
  const number = row?.number ?? null;
  return (number === null ? undefined : (await readBlocks(batch, [number])).get(number)) ?? to;
}
