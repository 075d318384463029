import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { ChainDeployment } from "../../abis/deployments.ts";
import type { CachedLog } from "../../engine/cachedLogs.ts";
import { listProgress } from "../../engine/ponderInternals.ts";
import { type Queries, queriesOf, withClient } from "../../src/api/server/postgres/client.ts";
import { eventTypeOf, isFollowed, nodeOfLog } from "./followedLogs.ts";
import { RANGE_BLOCKS, type Range } from "./logRanges.ts";
import type { Node } from "./node.ts";
import { addressReader, type NodeLog } from "./nodeLogs.ts";
import { noteNotCompared, noteValue, type Result } from "./result.ts";

/** Rows that are read at once: a busier range is read in pieces of whole blocks. */
const MAX_ROWS = 5_000;
/** Ranges of one run, for each hundred samples of names and records. */
const SAMPLES_OF_RANGE = 100;
const MAX_RANGES = 100;
/** How often a range is read again while it differs: the chain may be reorganised, and the index follows soon. */
const ATTEMPTS = 3;
const PAUSE_MS = 2_000;

export type EventsPlan = {
  databaseUrl: string;
  schema: string;
  /** The chain whose events are compared. */
  deployment: ChainDeployment;
  /** A node of that chain. */
  node: Node;
  signal: AbortSignal;
  samples: number;
  seed: number;
};

/** A log that has rows in `events`. */
type Stored = {
  block: number;
  index: number;
  transaction: string;
  address: string;
  contract: string;
  event: string;
  node: string | null;
  timestamp: string;
  isOdd: boolean;
};

/** It has logs of agents that have no name. */
const mayLackRows: readonly string[] = ["agent-registry"];

type Compared = { range: Range; stored: Stored[]; logs: NodeLog[] };

/**
 * Compares rows of `events` with the logs of a node: those of the newest blocks, and of random ranges. A row without its log is
 * a difference, and a log of a listed contract without a row. Of a row with its log, what identifies it is compared: event, node
 * and time.
 *
 * @throws NodeError where the node does not answer
 */
export async function compareEvents(plan: EventsPlan, result: Result): Promise<void> {
  const config = { connectionString: plan.databaseUrl, application_name: `${plan.schema}_verify` };
  await withClient(config, async (client) => {
    await client.query(`set search_path to "${plan.schema}"`);
    const query = queriesOf(client);
    const progress = await listProgress(query.query, plan.schema);
    const indexed = progress.find(({ chainId }) => chainId === plan.deployment.chainId);
    if (indexed === undefined) return;
    const compared: Compared[] = [];
    for (const range of await chooseRanges(query, plan, indexed.blockNumber)) {
      for (let from = range.from; from <= range.to; ) {
        const piece = await compareSettled(query, plan, { from, to: range.to });
        compared.push(piece);
        from = piece.range.to + 1;
      }
    }
    const known = new Set(compared.flatMap(knownEvents));
    const entries = plan.deployment.contracts.filter(({ role }) => !mayLackRows.includes(role));
    const listed = new Map(entries.map((entry) => [entry.address.toLowerCase(), entry]));
    for (const one of compared) noteRange(one, { chainId: plan.deployment.chainId, known, listed, result });
  });
}

/** The newest blocks, and random ones; every other range begins at a row. */
async function chooseRanges(
  { query }: Queries,
  { deployment, samples, seed }: EventsPlan,
  newest: number,
): Promise<Range[]> {
  const first = Math.min(...deployment.contracts.map(({ startBlock }) => startBlock));
  const recent = { from: Math.max(first, newest - RANGE_BLOCKS + 1), to: newest };
  const count = Math.min(MAX_RANGES, Math.ceil(samples / SAMPLES_OF_RANGE));
  const ranges = [recent];
  for (let i = 0; i < count && recent.from > first; i++) {
    const at = first + (drawn(seed, i) % (recent.from - first));
    const [row] = await query<{ block: number | null }>(
      "select min(block_number) as block from events where chain_id = $1 and block_number >= $2 and $3",
      [deployment.chainId, at, i % 2 === 0],
    );
    const from = row?.block ?? at;
    ranges.push({ from, to: Math.min(newest, from + RANGE_BLOCKS - 1) });
  }
  return [...new Map(ranges.map((range) => [range.from, range])).values()];
}

const drawn = (seed: number, index: number): number =>
  createHash("sha256").update(`${seed} events ${index}`).digest().readUIntBE(0, 6);

async function compareSettled(query: Queries, plan: EventsPlan, range: Range): Promise<Compared> {
  for (let attempt = 1; ; attempt++) {
    const compared = await readBoth(query, plan, range);
    if (attempt === ATTEMPTS || withoutLog(compared).length === 0) return compared;
    await sleep(PAUSE_MS, undefined, { signal: plan.signal });
  }
}

async function readBoth(
  { query }: Queries,
  { deployment, node }: EventsPlan,
  range: Range,
): Promise<Compared> {
  const [cut] = await query<{ to: number }>(
    `select greatest($2, least($3, min(block_number) - 1))::int as to from (
       select block_number from events where chain_id = $1 and block_number between $2 and $3 and ordinal = 0
       order by block_number offset $4 limit 1) next`,
    [deployment.chainId, range.from, range.to, MAX_ROWS],
  );
  const piece = { from: range.from, to: cut?.to ?? range.to };
  const stored = await query<Stored>(
    `select block_number as block, log_index as index, transaction_hash as transaction, contract_address as address,
       contract, event_type as event, node, block_timestamp::text as timestamp, anomaly is not null as "isOdd" from events
     where chain_id = $1 and block_number between $2 and $3 and ordinal = 0 order by block_number, log_index`,
    [deployment.chainId, piece.from, piece.to],
  );
  const emitters = new Set([
    ...[...deployment.contracts, ...stored].map(({ address }) => address.toLowerCase()),
  ]);
  return { range: piece, stored, logs: await addressReader(node, [...emitters])(piece) };
}

const placeOf = (block: number, index: number): string => `${block} ${index}`;

const logsByPlace = ({ logs }: Compared): Map<string, NodeLog> =>
  new Map(logs.map((log) => [placeOf(log.blockNumber, log.logIndex), log]));

const isOf = (log: CachedLog | undefined, { transaction, address }: Stored): boolean =>
  log?.transactionHash === transaction.toLowerCase() && log.address === address.toLowerCase();

function withoutLog(compared: Compared): Stored[] {
  const logs = logsByPlace(compared);
  return compared.stored.filter((row) => !isOf(logs.get(placeOf(row.block, row.index)), row));
}

const eventOf = ({ address, topics }: CachedLog): string => `${address} ${topics[0]}`;

/** The contracts and events whose logs the index stores. */
function knownEvents(compared: Compared): string[] {
  const logs = logsByPlace(compared);
  return compared.stored.flatMap((row) => {
    const log = logs.get(placeOf(row.block, row.index));
    return log !== undefined && isOf(log, row) ? [eventOf(log)] : [];
  });
}

type Judge = {
  chainId: number;
  known: ReadonlySet<string>;
  listed: ReadonlyMap<string, ChainDeployment["contracts"][number]>;
  result: Result;
};

function noteRange(compared: Compared, { chainId, known, listed, result }: Judge): void {
  const logs = logsByPlace(compared);
  const places = new Set(compared.stored.map(({ block, index }) => placeOf(block, index)));
  const gone = new Set(withoutLog(compared));
  for (const row of compared.stored) {
    const note = (column: string, index: string | null, chain: string | null) =>
      noteValue(result, {
        table: "events",
        column,
        kind: "log",
        index,
        chain,
        path: row.node === null ? "/indexing-status" : `/lookup-namehash/${row.node}`,
        of: `log ${row.index} of block ${row.block} (${row.event})`,
        calls: [{ method: "eth_getTransactionReceipt", params: [row.transaction] }],
      });
    note("log", row.transaction, gone.has(row) ? null : row.transaction);
    const log = logs.get(placeOf(row.block, row.index));
    if (log === undefined || gone.has(row)) continue;
    note("event_type", row.event, eventTypeOf(log));
    const node = row.isOdd ? undefined : nodeOfLog(log, { chainId, contract: row.contract });
    if (node !== undefined) note("node", row.node, node);
    if (log.timestamp === null) noteNotCompared(result, "event times: the node's logs have none");
    else note("block_timestamp", row.timestamp, String(log.timestamp));
  }
  for (const log of compared.logs) {
    const entry = listed.get(log.address);
    const isExpected = entry !== undefined && (known.has(eventOf(log)) || isFollowed(entry, log));
    if (!isExpected || places.has(placeOf(log.blockNumber, log.logIndex))) continue;
    noteValue(result, {
      table: "events",
      column: "log",
      kind: "log",
      path: "/indexing-status",
      of: `log ${log.logIndex} of block ${log.blockNumber} (${log.address})`,
      index: null,
      chain: log.transactionHash,
      calls: [{ method: "eth_getTransactionReceipt", params: [log.transactionHash] }],
    });
  }
}
