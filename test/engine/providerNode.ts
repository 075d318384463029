import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Hex, numberToHex } from "viem";
import { type Receipt, receiptsRoot } from "../../engine/sources/receiptsRoot.ts";

// A node double that behaves like paid providers: it refuses long ranges, large answers, and more requests than a plan includes.

export type ProviderLog = {
  block: number;
  address: Hex;
  topics: Hex[];
  data?: Hex;
  /** The input of its transaction. */
  input?: Hex;
};

/** The form of block times in logs: as a number of seconds, left out, zero, in milliseconds, or each of these in turn. */
export type Times = "seconds" | "none" | "zero" | "milliseconds" | "mixed";

export type Plan = {
  logs: readonly ProviderLog[];
  head: number;
  /** Maximum number of blocks in a request for logs, and the text of the refusal. */
  maxRange?: number;
  refusal?: "suggests" | "says the limit";
  /** Maximum number of logs in an answer. */
  maxResults?: number;
  /** Requests allowed within a second; others get 429 with Retry-After. */
  perSecond?: number;
  times?: Times;
  /** Blocks whose transactions it does not have. */
  lacks?: ReadonlySet<number>;
  /** Runs before it answers. */
  before?: (method: string) => Promise<void> | void;
  /** It answers that there are no logs, like a node that removed those of old blocks. */
  forgets?: boolean;
};

type Filter = { fromBlock: Hex; toBlock: Hex; address?: Hex | Hex[]; topics?: (Hex | Hex[] | null)[] };
type Request = { id: number; method: string; params: [Hex & Filter, (boolean | Hex)?] };
type Answer = { result: unknown } | { error: { code: number; message: string } };

export type Provider = Awaited<ReturnType<typeof startProvider>>;

/** Trials of sources compare whole blocks. */
const BLOOM = numberToHex(1, { size: 256 });

export const hashOf = (kind: number, number: number): Hex => numberToHex(kind * 1e12 + number, { size: 32 });
export const timeOf = (block: number): number => 1_500_000_000 + 12 * block;
const ZERO_HASH = numberToHex(0, { size: 32 });

/** Each log is in its own transaction. */
export async function startProvider(plan: Plan) {
  const byBlock = Map.groupBy(plan.logs, ({ block }) => block);
  const seen = {
    requests: {} as Record<string, number>,
    /** Requested blocks. */
    blocks: [] as number[],
    refused: 0,
    limited: 0,
    bytes: 0,
    largest: 0,
  };
  let second = { at: 0, count: 0 };

  const timeIn = (block: number, index: number): object => {
    const kinds = ["seconds", "none", "zero", "milliseconds"] as const;
    const kind = plan.times === "mixed" ? kinds[(block + index) % kinds.length] : plan.times;
    if (kind === undefined || kind === "none") return {};
    if (kind === "zero") return { blockTimestamp: "0x0" };
    return { blockTimestamp: numberToHex(timeOf(block) * (kind === "milliseconds" ? 1_000 : 1)) };
  };
  const logJson = (log: ProviderLog, index: number) => ({
    address: log.address,
    topics: log.topics,
    data: log.data ?? "0x",
    blockNumber: numberToHex(log.block),
    blockHash: hashOf(1, log.block),
    transactionHash: hashOf(2, log.block * 1_000 + index),
    transactionIndex: numberToHex(index),
    logIndex: numberToHex(index),
    removed: false,
    ...timeIn(log.block, index),
  });
  const transactionJson = ({ block, input }: ProviderLog, index: number) => ({
    hash: hashOf(2, block * 1_000 + index),
    blockHash: hashOf(1, block),
    blockNumber: numberToHex(block),
    transactionIndex: numberToHex(index),
    from: numberToHex(block, { size: 20 }),
    to: numberToHex(index + 1, { size: 20 }),
    input: input ?? numberToHex(block, { size: 40 }),
    value: numberToHex(index),
    nonce: "0x1",
    gas: "0x5208",
    type: "0x2",
  });
  const logsOf = (block: number) => (byBlock.get(block) ?? []).map(logJson);
  const receiptsOf = (block: number) =>
    logsOf(block).map((log, index) => ({
      transactionIndex: numberToHex(index),
      transactionHash: log.transactionHash,
      type: "0x2",
      status: "0x1",
      cumulativeGasUsed: numberToHex(21_000 * (index + 1)),
      logsBloom: BLOOM,
      logs: [log],
    }));
  const blockJson = (number: number, isFull: boolean) => ({
    number: numberToHex(number),
    hash: hashOf(1, number),
    parentHash: hashOf(1, number - 1),
    timestamp: numberToHex(timeOf(number)),
    logsBloom: BLOOM,
    miner: numberToHex(1, { size: 20 }),
    gasUsed: "0x0",
    gasLimit: "0x1",
    extraData: "0x",
    stateRoot: ZERO_HASH,
    receiptsRoot: receiptsRoot(receiptsOf(number) as unknown as Receipt[]),
    transactionsRoot: ZERO_HASH,
    size: "0x1",
    difficulty: "0x0",
    transactions: (byBlock.get(number) ?? []).map((log, index) => {
      const transaction = transactionJson(log, index);
      return isFull ? transaction : transaction.hash;
    }),
  });

  function logsAnswer({ fromBlock, toBlock, address, topics = [] }: Filter): Answer {
    const [from, to] = [Number(fromBlock), Number(toBlock)];
    const { maxRange = Number.POSITIVE_INFINITY, maxResults = Number.POSITIVE_INFINITY } = plan;
    seen.largest = Math.max(seen.largest, to - from + 1);
    if (to - from + 1 > maxRange) {
      const end = numberToHex(from + maxRange - 1);
      const message = {
        suggests: `Log response size exceeded. Based on your parameters, this block range should work: [${fromBlock}, ${end}]`,
        "says the limit": `eth_getLogs is limited to a ${maxRange.toLocaleString("en")} range`,
      }[plan.refusal ?? "says the limit"];
      return { error: { code: -32_602, message } };
    }
    const addresses =
      address === undefined ? null : new Set([address].flat().map((one) => one.toLowerCase()));
    const found: object[] = [];
    if (plan.forgets) return { result: found };
    for (let block = from; block <= to; block++) {
      for (const [index, log] of (byBlock.get(block) ?? []).entries()) {
        if (addresses?.has(log.address) === false) continue;
        if (topics.some((wanted, i) => wanted !== null && ![wanted].flat().includes(log.topics[i] as Hex)))
          continue;
        found.push(logJson(log, index));
      }
    }
    if (found.length <= maxResults) return { result: found };
    return { error: { code: -32_005, message: `query returned more than ${maxResults} results` } };
  }

  function answer({ method, params }: Request): Answer {
    const [first, isFull = false] = params;
    if (method === "eth_getLogs") return logsAnswer(first);
    if (method === "eth_getBlockByNumber") {
      const number = (first as string) === "latest" ? plan.head : Number(first);
      seen.blocks.push(number);
      return { result: blockJson(number, isFull === true) };
    }
    if (method === "eth_getBlockReceipts") return { result: receiptsOf(Number(first)) };
    if (method === "eth_getTransactionByBlockNumberAndIndex") {
      const [block, index] = params.map(Number) as [number, number];
      const log = plan.lacks?.has(block) ? undefined : byBlock.get(block)?.[index];
      return { result: log === undefined ? null : transactionJson(log, index) };
    }
    if (method === "eth_getTransactionByHash") {
      const place = Number(BigInt(first) - 2n * 10n ** 12n);
      const [block, index] = [Math.floor(place / 1_000), place % 1_000];
      const log = byBlock.get(block)?.[index];
      return { result: log === undefined ? null : transactionJson(log, index) };
    }
    return { error: { code: -32_601, message: `no method ${method}` } };
  }

  function serve(request: Request, reply: ServerResponse): void {
    const at = Math.floor(Date.now() / 1_000);
    second = second.at === at ? { at, count: second.count + 1 } : { at, count: 1 };
    if (second.count > (plan.perSecond ?? Number.POSITIVE_INFINITY)) {
      seen.limited++;
      reply.writeHead(429, { "retry-after": "1" }).end("too many requests");
      return;
    }
    seen.requests[request.method] = (seen.requests[request.method] ?? 0) + 1;
    const answered = answer(request);
    if ("error" in answered) seen.refused++;
    const text = JSON.stringify({ jsonrpc: "2.0", id: request.id, ...answered });
    seen.bytes += text.length;
    reply.setHeader("content-type", "application/json").end(text);
  }

  const server = createServer(async (request, reply) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const asked = JSON.parse(Buffer.concat(chunks).toString()) as Request;
    await plan.before?.(asked.method);
    serve(asked, reply);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const stop = () => {
    server.close();
    server.closeAllConnections();
  };
  const transactionsOf = (block: number) => (byBlock.get(block) ?? []).map(transactionJson);
  return { url: `http://127.0.0.1:${port}`, seen, blockJson, logsOf, transactionsOf, stop };
}
