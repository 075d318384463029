import { type Hex, numberToHex } from "viem";
import { quietLogger } from "../../../engine/ponderModule.ts";
import { ponderModule } from "../../../test/engine/ponders.ts";
import { printOutcome } from "./print.ts";

// Counts the requests for the logs of 100,000 blocks, where a node takes 10,000 blocks a request. As on mainnet, 20 contracts are
// followed, 19 events of any contract, and three by another topic; nothing is logged.

const BLOCKS = 100_000;
const topicOf = (number: number): Hex => numberToHex(number + 1, { size: 32 });
const filterOf = (topic: number, address?: Hex, topic1: Hex | null = null) => ({
  type: "log",
  chainId: 1,
  address,
  topic0: topicOf(topic),
  topic1,
  topic2: null,
  topic3: null,
  fromBlock: undefined,
  toBlock: undefined,
  hasTransactionReceipt: false,
  include: [],
});
const addressOf = (number: number): Hex => numberToHex(number + 1, { size: 20 });
const filters = [
  ...Array.from({ length: 100 }, (_, i) => filterOf(i, addressOf(i % 20))),
  ...Array.from({ length: 19 }, (_, i) => filterOf(200 + i)),
  ...Array.from({ length: 3 }, (_, i) => filterOf(300 + i, addressOf(50), topicOf(0))),
];

const { createHistoricalSync } = await ponderModule("sync-historical/index.js");
let requests = 0;
const sync = createHistoricalSync({
  common: { logger: quietLogger, options: { factoryAddressCountThreshold: 1_000 } },
  chain: { id: 1, name: "mainnet", finalityBlockCount: 65, ethGetLogsBlockRange: 10_000 },
  childAddresses: new Map(),
  eventCallbacks: filters.map((filter) => ({ filter })),
  syncProgress: { start: { number: numberToHex(0) }, finalized: { number: numberToHex(BLOCKS - 1) } },
  rpc: {
    request: async () => {
      requests++;
      return [];
    },
  },
});
const interval = [0, BLOCKS - 1];
await sync.syncBlockRangeData({
  interval,
  requiredIntervals: filters.map((filter) => ({ filter, interval })),
  requiredFactoryIntervals: [],
  syncStore: {},
});
printOutcome(requests);
