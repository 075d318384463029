import pg from "pg";
import { writeLogs } from "../../engine/backfill/cacheRows.ts";
import { openPonderCache } from "./ponderCache.ts";
import { ponderModule } from "./ponders.ts";

// `node cacheTrial.ts <database>`: lets Ponder write logs, blocks and transactions of all shapes into its cache, some of them
// twice, and prints the resulting rows.

const [databaseUrl] = process.argv.slice(2);
const { PONDER_SYNC_SCHEMA } = await ponderModule("sync-store/schema.js");
const { store } = await openPonderCache(databaseUrl);

const hash = (of: number) => `0x${of.toString(16).padStart(64, "0")}`;
const address = (of: number) => `0x${of.toString(16).padStart(40, "A")}`;
const hex = (of: number | bigint) => `0x${of.toString(16)}`;
const HUGE = 2n ** 256n - 1n;

const block = (number: number) => ({
  number: hex(number),
  timestamp: hex(1_700_000_000 + number),
  hash: hash(number),
  parentHash: hash(number - 1),
  logsBloom: `0x${"0f".repeat(256)}`,
  miner: address(number),
  gasUsed: hex(HUGE),
  gasLimit: hex(30_000_000),
  extraData: number % 2 ? "0x" : "0xdeadbeef",
  stateRoot: hash(1),
  receiptsRoot: hash(2),
  transactionsRoot: hash(3),
  size: hex(number),
  difficulty: "0x0",
  ...(number % 3 > 0 && { baseFeePerGas: hex(number * 7), nonce: "0x0000000000000042", mixHash: hash(4) }),
  ...(number % 4 > 0 && { sha3Uncles: hash(5), totalDifficulty: hex(HUGE) }),
});
const log = (number: number, index: number) => ({
  blockNumber: hex(number),
  logIndex: hex(index),
  transactionIndex: hex(index % 5),
  blockHash: hash(number),
  transactionHash: hash(index),
  address: address(index),
  topics: Array.from({ length: index % 5 }, (_, topic) => hash(topic)),
  data: index % 2 ? "0x" : `0x${"ab".repeat(index * 100)}`,
});
const transaction = (number: number, index: number) => ({
  blockNumber: hex(number),
  transactionIndex: hex(index),
  hash: hash(index),
  blockHash: hash(number),
  from: address(index),
  to: index % 2 ? address(index + 1) : null,
  input: index % 3 ? "0x" : "0x1234",
  value: hex(HUGE),
  nonce: hex(index),
  gas: hex(21_000),
  ...(index % 3 > 0 && { r: hash(6), s: hash(7), v: hex(27), type: "0x2", gasPrice: hex(HUGE) }),
  ...(index % 4 > 0 && { maxFeePerGas: hex(1), maxPriorityFeePerGas: hex(2) }),
  ...(index % 5 > 0 && { accessList: [{ address: address(1), storageKeys: [hash(1)] }] }),
});

const chainId = 1;
for (const number of [1, 2, 3, 4, 4, 0]) {
  const logs = Array.from({ length: number * 9 }, (_, index) => log(number, index));
  const transactions = Array.from({ length: number * 6 }, (_, index) => transaction(number, index));
  const blocks = [block(number), block(number + 10), block(number + 20)];
  if (store.insertRows === undefined) {
    await store.insertBlocks({ blocks, chainId });
    await store.insertTransactions({ transactions, chainId });
    await store.insertLogs({ logs, chainId });
  } else {
    const fetched = blocks.map((block, i) => ({
      block,
      transactions: i === 0 ? transactions : [],
      logs: i === 0 ? logs : [],
    })) as unknown as Parameters<typeof writeLogs>[1]["fetched"];
    await writeLogs(store, { ponder: await ponderModule("sync-store/encode.js"), chainId, fetched });
  }
}

const client = new pg.Client({ connectionString: databaseUrl });
await client.connect();
const tables = ["blocks", "transactions", "logs"];
const stored = await Promise.all(
  tables.map(
    async (table) =>
      (await client.query(`select t::text from ${PONDER_SYNC_SCHEMA}.${table} t order by 1`)).rows,
  ),
);
await client.end();
const seen = { isPatched: store.insertRows !== undefined, stored };
process.stdout.write(JSON.stringify(seen), () => process.exit()); // Ponder's database keeps the process alive.
