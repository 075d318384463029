import { type Address, numberToHex, zeroHash } from "viem";
import { quietLogger } from "../../../engine/ponderModule.ts";
import { ponderModule } from "../../../test/engine/ponders.ts";

const hash = (number: number) => numberToHex(number + 1, { size: 32 });
const TOPIC = hash(7);

/** A factory of Ponder: its logs tell of contracts to follow. */
export const FACTORY = {
  id: "found",
  type: "log",
  chainId: 1,
  address: numberToHex(1, { size: 20 }),
  eventSelector: hash(8),
  childAddressLocation: "topic1",
  fromBlock: undefined,
  toBlock: undefined,
};

/** A log, the only one of its block. */
const logOf = (number: number, address: Address) => ({
  blockNumber: numberToHex(number),
  blockHash: hash(number),
  logIndex: "0x0",
  transactionIndex: "0x0",
  address,
  topics: [TOPIC],
  data: "0x",
  transactionHash: zeroHash,
});

const blockOf = (number: number) => ({
  number: numberToHex(number),
  timestamp: numberToHex(number),
  hash: hash(number),
  parentHash: hash(0),
  logsBloom: numberToHex(1, { size: 256 }),
  miner: FACTORY.address,
  gasUsed: "0x0",
  gasLimit: "0x1",
  extraData: "0x",
  size: "0x1",
  difficulty: "0x0",
  stateRoot: hash(0),
  receiptsRoot: hash(0),
  transactionsRoot: hash(0),
  transactions: [],
});

type Fetch = {
  address: unknown;
  children?: ReadonlyMap<Address, number>;
  blocks: number;
  emitters: Address[];
};

/**
 * Makes Ponder's backfill (sync-historical/index.js) fetch a range of blocks, over which one log of each emitter is spread. The
 * node answers at once, and nothing is stored. `fetched` counts the blocks that it asked for.
 */
export async function openBackfill({ address, children = new Map(), blocks, emitters }: Fetch) {
  const { createHistoricalSync } = await ponderModule("sync-historical/index.js");
  const seen = { fetched: 0 };
  const request = async ({ params: [number] }: { params: [`0x${string}`] }) => {
    seen.fetched++;
    return blockOf(Number(number));
  };
  const store = async () => {};
  const sync = createHistoricalSync({
    common: { logger: quietLogger, options: { factoryAddressCountThreshold: 1_000 } },
    chain: { id: 1, name: "mainnet", finalityBlockCount: 65 },
    childAddresses: new Map([[FACTORY.id, children]]),
    rpc: { request },
  });
  const filter = {
    type: "log",
    chainId: 1,
    address,
    topic0: TOPIC,
    topic1: null,
    topic2: null,
    topic3: null,
    fromBlock: undefined,
    toBlock: undefined,
    hasTransactionReceipt: false,
    include: [],
  };
  const interval = [0, blocks - 1];
  const each = Math.floor(blocks / emitters.length);
  const run = () =>
    sync.syncBlockData({
      interval,
      requiredIntervals: [{ filter, interval }],
      logs: emitters.map((emitter, i) => logOf(i * each, emitter)),
      syncStore: {
        insertBlocks: store,
        insertTransactions: store,
        insertTransactionReceipts: store,
        insertTraces: store,
        insertLogs: store,
      },
    });
  return { seen, run };
}
