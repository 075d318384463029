import { numberToHex } from "viem";
import { openPonderDatabase } from "./ponderCache.ts";
import { ponderModule } from "./ponders.ts";

// Runs the indexing of Ponder (runtime/multichain.js) over blocks without logs, with a handler for each block.

type Request = { method: string; params: [Record<string, `0x${string}`> | `0x${string}` | "latest"] };

/** What handlers write with. */
// biome-ignore lint/suspicious/noExplicitAny: Ponder does not export this type.
type Db = any;

type Run = {
  databaseUrl: string | undefined;
  /** Blocks that can no longer be reorganised, where Ponder's backfill ends. */
  finalized: number;
  /** The last block in the tables, as after a restart. */
  recovered?: number;
  /** Requests logs of a contract; with `blocks` each block is an event. */
  follows: "logs" | "blocks";
  handler?: (given: { event: { block: { number: bigint } }; context: { db: Db } }) => Promise<void>;
  /** Tables in the schema `trial`; none by default. */
  schema?: Record<string, unknown>;
  /** Overridden options of Ponder. */
  options?: Record<string, unknown>;
  /** Ponder's log, unchanged. */
  onLog: (msg: string) => void;
};

const CHAIN_ID = 1;
const hash = (number: number) => numberToHex(number + 1, { size: 32 });
const address = numberToHex(0xab, { size: 20 });

/** A block as a node returns it, without logs. */
export const blockOf = (number: number) => ({
  number: numberToHex(number),
  timestamp: numberToHex(1_700_000_000 + number),
  hash: hash(number),
  parentHash: hash(number - 1),
  logsBloom: numberToHex(0, { size: 256 }),
  miner: address,
  gasUsed: "0x0",
  gasLimit: "0x1",
  baseFeePerGas: "0x1",
  extraData: "0x",
  size: "0x1",
  difficulty: "0x0",
  stateRoot: hash(0),
  receiptsRoot: hash(0),
  transactionsRoot: hash(0),
  sha3Uncles: hash(0),
  nonce: "0x0000000000000000",
  mixHash: hash(0),
  totalDifficulty: "0x0",
  transactions: [],
});

const common = { chainId: CHAIN_ID, sourceId: "Trial", fromBlock: 0, toBlock: undefined };
/** All logs of a contract with one topic. */
export const logFilter = {
  ...common,
  type: "log",
  address,
  topic0: hash(0),
  topic1: null,
  topic2: null,
  topic3: null,
  hasTransactionReceipt: false,
  include: [],
};
const filters = {
  logs: logFilter,
  blocks: { ...common, type: "block", interval: 1, offset: 0, include: ["block.number", "block.timestamp"] },
};

/** Starts Ponder's indexing, which does not end by itself; `logBlocks` counts the blocks whose logs it has requested. */
export async function startRun({
  databaseUrl,
  finalized,
  recovered,
  follows,
  handler,
  schema,
  options,
  onLog,
}: Run) {
  const [{ runMultichain }, { blockToCheckpoint, encodeCheckpoint }] = await Promise.all(
    ["runtime/multichain.js", "utils/checkpoint.js"].map(ponderModule),
  );
  const { database, ponder, parts, pool } = await openPonderDatabase(databaseUrl, {
    onLog,
    ...(schema && { schema }),
    ...(options && { options }),
  });
  await pool.query(
    `create table trial._ponder_checkpoint (chain_name text primary key, chain_id int8, safe_checkpoint text,
       latest_checkpoint text, finalized_checkpoint text);
     create table trial._ponder_meta (key text primary key, value jsonb);
     insert into trial._ponder_meta values ('app', '{"is_ready": 0}')`,
  );
  const seen = { logBlocks: 0 };
  const request = async ({ method, params: [first] }: Request) => {
    if (method === "eth_getBlockByNumber") {
      return blockOf(first === "latest" ? finalized : Number(first));
    }
    if (method !== "eth_getLogs" || typeof first === "string") throw new Error(`${method} was not expected`);
    seen.logBlocks += Number(first.toBlock) - Number(first.fromBlock) + 1;
    return [];
  };
  const chain = {
    id: CHAIN_ID,
    name: "mainnet",
    finalityBlockCount: 10,
    disableCache: false,
    pollingInterval: 1_000,
    ethGetLogsBlockRange: undefined,
    viemChain: undefined,
  };
  const fn = handler ?? (async () => {});
  const event = { name: "Trial:block", type: "block", fn, chain, filter: filters[follows] };
  const checkpointOf = (block: number) =>
    encodeCheckpoint(blockToCheckpoint(blockOf(block), CHAIN_ID, "down"));
  const ended = runMultichain({
    common: ponder,
    ...parts,
    database,
    ...(recovered === undefined
      ? {}
      : { crashRecoveryCheckpoint: [{ chainId: CHAIN_ID, checkpoint: checkpointOf(recovered) }] }),
    indexingBuild: {
      chains: [chain],
      rpcs: [{ hostnames: [], request }],
      finalizedBlocks: [blockOf(finalized)],
      eventCallbacks: [[event]],
      setupCallbacks: [[]],
      contracts: [{}],
      indexingFunctions: [{ name: event.name, fn: event.fn }],
    },
  });
  /** Ends the run like a signal; resolves once its connections are closed. */
  const stop = (): Promise<void> => ponder.shutdown.kill();
  return { seen, pool, metrics: ponder.metrics, ended: ended as Promise<void>, stop };
}
