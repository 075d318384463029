import { numberToHex } from "viem";
import { openPonderCache } from "../../../test/engine/ponderCache.ts";
import { printSeconds } from "./print.ts";

// Writes the logs, blocks and transactions of a first index into Ponder's cache, block by block.

const BLOCKS = 1_500;
const LOGS = 10;

const hash = (number: number) => numberToHex(number + 1, { size: 32 });
const address = numberToHex(1, { size: 20 });

const blockOf = (number: number) => ({
  number: numberToHex(number),
  timestamp: numberToHex(number),
  hash: hash(number),
  parentHash: hash(0),
  logsBloom: numberToHex(1, { size: 256 }),
  miner: address,
  gasUsed: "0x0",
  gasLimit: "0x1",
  baseFeePerGas: "0x1",
  nonce: "0x0000000000000000",
  mixHash: hash(0),
  sha3Uncles: hash(0),
  extraData: "0x",
  size: "0x1",
  difficulty: "0x0",
  totalDifficulty: "0x0",
  stateRoot: hash(0),
  receiptsRoot: hash(0),
  transactionsRoot: hash(0),
});
const logOf = (number: number, index: number) => ({
  blockNumber: numberToHex(number),
  blockHash: hash(number),
  logIndex: numberToHex(index),
  address,
  transactionIndex: numberToHex(index),
  transactionHash: hash(index),
  data: hash(5),
  topics: [hash(1), hash(2), hash(3)],
});
const transactionOf = (number: number, index: number) => ({
  blockNumber: numberToHex(number),
  blockHash: hash(number),
  transactionIndex: numberToHex(index),
  hash: hash(index),
  from: address,
  to: address,
  input: "0x",
  value: "0x1",
  nonce: "0x1",
  gas: "0x1",
  r: hash(1),
  s: hash(2),
  v: "0x1b",
  type: "0x2",
  gasPrice: "0x1",
  maxFeePerGas: "0x1",
  maxPriorityFeePerGas: "0x1",
  accessList: [],
});

const { store } = await openPonderCache(process.argv[2]);
const chainId = 1;
const rows = Array.from({ length: LOGS }, (_, index) => index);
await printSeconds(async () => {
  for (let number = 0; number < BLOCKS; number++) {
    await Promise.all([
      store.insertBlocks({ blocks: [blockOf(number)], chainId }),
      store.insertTransactions({ transactions: rows.map((i) => transactionOf(number, i)), chainId }),
      store.insertLogs({ logs: rows.map((i) => logOf(number, i)), chainId }),
    ]);
  }
});
