import { writeFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { parseArgs } from "node:util";
import { generateBase } from "./base.ts";
import { playEnsv2 } from "./ensv2.ts";
import { generateScene, LAST_BLOCK } from "./history.ts";
import { type Block, blockHash, type Ledger, timeOf } from "./ledger.ts";
import type { Scene } from "./scene.ts";
import type { Words } from "./words.ts";

// A node of a generated chain, in a process of its own: `node server.ts --names 1000 [--seed 1] [--chain base]
// [--reserved 1000 --migrated 100] [--labels FILE]`. The labels of all names go into that file, those that no log spells out, too. It sends one line of JSON to its parent when it answers, and answers as much of
// JSON-RPC as an indexer asks for.

const option = { type: "string" } as const;
const { values } = parseArgs({
  options: { names: option, seed: option, chain: option, reserved: option, migrated: option, labels: option },
});
const [names, seed] = [Number(values.names), Number(values.seed ?? 1)];

/** Blocks that Ponder waits for on mainnet before it takes one for final, and some. */
const BLOCKS_TO_HEAD = 100;

function generateMainnet() {
  const scene = generateScene(names, seed);
  if (values.labels !== undefined) writeFileSync(values.labels, labelsOf(scene));
  const [reserved, migrated] = [Number(values.reserved ?? 0), Number(values.migrated ?? 0)];
  const last = reserved > 0 ? playEnsv2(scene, { reserved, migrated }, LAST_BLOCK) : LAST_BLOCK;
  return { ledger: scene.ledger, chainId: 1, head: last + BLOCKS_TO_HEAD, timeOf };
}

function labelsOf({ names: registered, subnames }: Scene): string {
  const labels = new Set([...registered, ...subnames].flatMap((name) => name?.label ?? []));
  return `${[...labels].join("\n")}\n`;
}

const generated = values.chain === "base" ? generateBase(names, seed) : generateMainnet();
const { ledger, chainId, head: HEAD, timeOf: timeOfBlock } = generated;

const hex = (value: number | bigint): string => `0x${value.toString(16)}`;
const ZEROES = "0".repeat(64);
const BLOOM = `0x${"0".repeat(512)}`;

/** A block as JSON, with its transactions if it had any that logged something. */
function toBlockJson(number: number, block: Block | undefined): string {
  const hash = block?.hash ?? blockHash(number);
  const transactions = block?.transactions.map((transaction, i) => toTransactionJson(block, transaction, i));
  return (
    `{"number":"${hex(number)}","hash":"${hash}","parentHash":"${blockHash(number - 1)}",` +
    `"timestamp":"${hex(timeOfBlock(number))}","logsBloom":"${BLOOM}","miner":"0x${"42".repeat(20)}",` +
    `"gasUsed":"0x1c9c380","gasLimit":"0x1c9c380","baseFeePerGas":"0x3b9aca00","nonce":"0x0000000000000000",` +
    `"mixHash":"0x${ZEROES}","stateRoot":"0x${ZEROES}","receiptsRoot":"0x${ZEROES}",` +
    `"transactionsRoot":"0x${ZEROES}","sha3Uncles":"0x${ZEROES}","size":"0x10000","difficulty":"0x0",` +
    `"totalDifficulty":"0x0","extraData":"0x","uncles":[],"transactions":[${transactions?.join(",") ?? ""}]}`
  );
}

function toTransactionJson(block: Block, transaction: Block["transactions"][number], index: number): string {
  const { hash, from, to, value, input } = transaction;
  return (
    `{"hash":"${hash}","blockHash":"${block.hash}","blockNumber":"${hex(block.number)}",` +
    `"transactionIndex":"${hex(index)}","from":"${from}","to":"${to}","value":"${hex(value)}","input":"${input}",` +
    `"nonce":"0x1","gas":"0x7a120","gasPrice":"0x3b9aca00","type":"0x2","maxFeePerGas":"0x3b9aca00",` +
    `"maxPriorityFeePerGas":"0x1","v":"0x1","r":"${hash}","s":"${hash}","chainId":"${hex(chainId)}","accessList":[]}`
  );
}

type Filter = {
  fromBlock: string;
  toBlock: string;
  address?: string | string[];
  topics?: (string | string[] | null)[];
};

/** Numbers that the words have in the ledger; null if any will do. */
function numbersOf(words: string | string[] | null | undefined, known: Words): Set<number> | null {
  if (words === null || words === undefined) return null;
  const given = typeof words === "string" ? [words] : words;
  return new Set(given.map((word) => known.find(word.toLowerCase()) ?? -1));
}

/** Logs that match. */
function findLogs({ fromBlock, toBlock, address, topics = [] }: Filter): number[] {
  const addresses = numbersOf(address, ledger.addresses);
  const selectors = numbersOf(topics[0], ledger.topics);
  const others = topics.slice(1).map((topic) => (typeof topic === "string" ? [topic] : topic));
  const end = ledger.firstLogAt(Number(toBlock) + 1);
  const found: number[] = [];
  for (let log = ledger.firstLogAt(Number(fromBlock)); log < end; log++) {
    if (addresses && !addresses.has(ledger.addressOf(log))) continue;
    if (selectors && !selectors.has(ledger.topicOf(log))) continue;
    if (others.some((topic) => topic) && !hasTopics(log, others)) continue;
    found.push(log);
  }
  return found;
}

function hasTopics(log: number, others: (string[] | null | undefined)[]): boolean {
  const topics = ledger.topicsOf(log);
  return others.every((wanted, i) => !wanted || wanted.includes(topics[i + 1] ?? ""));
}

type Request = { id: number; method: string; params: unknown[] };

function answer({ id, method, params }: Request, reply: ServerResponse): void {
  reply.setHeader("content-type", "application/json");
  if (method === "eth_getLogs") reply.end(toReply(id, findLogs(params[0] as Filter)));
  else reply.end(`{"jsonrpc":"2.0","id":${id},${simpleAnswer(method, params)}}`);
}

function simpleAnswer(method: string, params: unknown[]): string {
  if (method === "eth_chainId") return `"result":"${hex(chainId)}"`;
  if (method === "eth_blockNumber") return `"result":"${hex(HEAD)}"`;
  if (method === "eth_getTransactionByBlockNumberAndIndex") {
    const [block, index] = [ledger.findBlock(Number(params[0])), Number(params[1])];
    const transaction = block?.transactions[index];
    return `"result":${block && transaction ? toTransactionJson(block, transaction, index) : "null"}`;
  }
  if (method !== "eth_getBlockByNumber") return `"error":{"code":-32601,"message":"no method ${method}"}`;
  const number = params[0] === "latest" ? HEAD : Number(params[0]);
  return `"result":${number > HEAD ? "null" : toBlockJson(number, ledger.findBlock(number))}`;
}

function toReply(id: number, logs: readonly number[]): Buffer {
  const found = ledger.read(logs);
  const last = found.pop()?.subarray(0, -",".length) ?? Buffer.alloc(0);
  return Buffer.concat([
    Buffer.from(`{"jsonrpc":"2.0","id":${id},"result":[`),
    ...found,
    last,
    Buffer.from("]}"),
  ]);
}

const server = createServer((request, reply) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => answer(JSON.parse(Buffer.concat(chunks).toString()) as Request, reply));
});

// What only generating needed is the larger part; the indexer and the database can use that memory.
globalThis.gc?.();
server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo;
  process.send?.({ port, ...summaryOf(ledger) });
});

process.on("disconnect", () => process.exit());

/** What the chain holds: an index of it is checked against this. */
function summaryOf({ logs, blocks, transactions, counts }: Ledger) {
  const blockOfEnsv2 = LAST_BLOCK + 1;
  return { logs, blocks, transactions, counts: Object.fromEntries(counts), blockOfEnsv2 };
}
