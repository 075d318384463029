import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import type { Hex } from "viem";
import { hashOf, timeOf } from "./providerNode.ts";

// A Portal double, written from SQD's documentation: it refuses what the Portal refuses, ends answers anywhere, gives lines for
// blocks without logs, and is now and then busy or broken. It can also lie.

/** The kind of lie in its answers about blocks from one on. */
export type Lie = { from: number; kind: "omits" | "alters" | "invents" | "time" | "hash" };

export type PortalPlan = {
  /** The last block that it has. */
  head: number;
  /** Maximum number of blocks that one answer looks at. */
  endsAfter?: number;
  /** The fault of each nth request, counted from 1. */
  faults?: Record<number, "429" | "503" | "500" | "204" | "empty" | "cut" | "plain">;
  /** Every nth request is cut off, within its gzip. */
  cutsEvery?: number;
  lie?: Lie;
};

type NodeLog = Record<
  "address" | "blockHash" | "data" | "logIndex" | "transactionHash" | "transactionIndex",
  Hex
> & {
  topics: Hex[];
};
type Item = { address?: Hex[]; transaction?: boolean } & Partial<
  Record<"topic0" | "topic1" | "topic2" | "topic3", Hex[]>
>;
type Body = { type: string; fromBlock: number; toBlock: number; fields: object; logs: Item[] };

const MOST_BYTES = 256 * 1_024;
const known = {
  body: ["type", "fromBlock", "toBlock", "fields", "logs"],
  item: ["address", "topic0", "topic1", "topic2", "topic3", "transaction"],
};

type NodeTransaction = Record<"hash" | "transactionIndex" | "from" | "to" | "input" | "value", Hex> &
  Record<"nonce" | "gas" | "type", string>;

export async function startPortal(
  plan: PortalPlan,
  logsOf: (block: number) => readonly NodeLog[],
  transactionsOf: (block: number) => readonly NodeTransaction[] = () => [],
) {
  const seen = { requests: 0, refused: [] as string[], lines: 0 };

  const isMatched = (log: NodeLog, { address, ...item }: Item): boolean =>
    (address === undefined || address.includes(log.address)) &&
    ([0, 1, 2, 3] as const).every((i) => {
      const words = item[`topic${i}`];
      return words === undefined || words.includes(log.topics[i] as Hex);
    });

  const faultOf = ({ type, logs }: Body, text: string): string | null => {
    if (text.length > MOST_BYTES) return "request body is too large";
    if (type !== "evm") return "unknown type";
    if (logs.length > 100) return "too many items";
    const strange = [
      ...Object.keys(JSON.parse(text)).filter((key) => !known.body.includes(key)),
      ...logs.flatMap((item) => Object.keys(item).filter((key) => !known.item.includes(key))),
    ];
    return strange.length === 0 ? null : `unknown field ${strange[0]}`;
  };

  function told(number: number, items: readonly Item[]) {
    const { lie } = plan;
    const kind = lie !== undefined && number >= lie.from ? lie.kind : null;
    const logs = logsOf(number)
      .filter((log) => items.some((item) => isMatched(log, item)))
      .map(({ logIndex, transactionIndex, transactionHash, address, topics, data }) => ({
        logIndex: Number(logIndex),
        transactionIndex: Number(transactionIndex),
        transactionHash,
        address,
        topics,
        data,
      }));
    const [first] = logs;
    if (first !== undefined) {
      if (kind === "omits") logs.shift();
      if (kind === "alters") first.data = `${first.data}00`;
      if (kind === "invents") logs.push({ ...first, logIndex: 999 });
    }
    const joined = new Set(
      logsOf(number)
        .filter((log) => items.some((item) => item.transaction && isMatched(log, item)))
        .map(({ transactionIndex }) => transactionIndex),
    );
    const transactions = transactionsOf(number)
      .filter(({ transactionIndex }) => joined.has(transactionIndex))
      .map(({ transactionIndex, hash, from, to, input, value, nonce, gas, type }) => ({
        transactionIndex: Number(transactionIndex),
        hash,
        from,
        to,
        input,
        value,
        gas,
        nonce: Number(nonce),
        type: Number(type),
      }));
    const hash = kind === "hash" ? hashOf(9, number) : hashOf(1, number);
    return {
      header: { number, hash, timestamp: timeOf(number) + (kind === "time" ? 1 : 0) },
      logs,
      transactions,
    };
  }

  function linesOf({ fromBlock, toBlock, logs: items }: Body): string {
    const end = Math.min(toBlock, plan.head, fromBlock + (plan.endsAfter ?? Number.POSITIVE_INFINITY) - 1);
    const lines: string[] = [];
    for (let number = fromBlock; number <= end; number++) {
      const { header, logs, transactions } = told(number, items);
      // Ends of its chunks have lines without logs, and so has the last block that it looked at.
      if (logs.length > 0)
        lines.push(
          JSON.stringify(transactions.length > 0 ? { header, transactions, logs } : { header, logs }),
        );
      else if (number === end || number % 5_000 === 0) lines.push(JSON.stringify({ header }));
    }
    seen.lines += lines.length;
    return `${lines.join("\n\n")}\n`;
  }

  function answer(text: string, reply: ServerResponse): void {
    const number = ++seen.requests;
    const fault =
      plan.faults?.[number] ?? (plan.cutsEvery && number % plan.cutsEvery === 0 ? "cut" : undefined);
    const fail = (status: number, headers = {}) =>
      reply.writeHead(status, headers).end(JSON.stringify({ error: { type: "x" } }));
    if (fault === "429") return void fail(429, { "retry-after": "0" });
    if (fault === "503") return void fail(503, { "retry-after": "0" });
    if (fault === "500") return void fail(500);
    if (fault === "204") return void reply.writeHead(204).end();
    const body = JSON.parse(text) as Body;
    const refusal = faultOf(body, text);
    if (refusal !== null) {
      seen.refused.push(refusal);
      return void fail(400);
    }
    if (body.fromBlock > plan.head) return void reply.writeHead(204).end();
    const lines = fault === "empty" ? "" : linesOf(body);
    const headers = { "content-type": "application/jsonl" };
    if (fault === "plain") return void reply.writeHead(200, headers).end(lines);
    const packed = gzipSync(lines);
    reply.writeHead(200, { ...headers, "content-encoding": "gzip" });
    if (fault !== "cut") return void reply.end(packed);
    reply.write(packed.subarray(0, Math.floor(packed.length / 2)), () => reply.destroy());
  }

  async function serve(request: IncomingMessage, reply: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (request.url === "/datasets/trial/finalized-head") {
      reply.end(JSON.stringify({ number: plan.head, hash: told(plan.head, []).header.hash }));
    } else if (request.url === "/datasets/trial/finalized-stream" && request.method === "POST") {
      answer(Buffer.concat(chunks).toString(), reply);
    } else reply.writeHead(404).end("dataset not found");
  }

  const server = createServer((request, reply) => void serve(request, reply));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const stop = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${port}/datasets/trial`, seen, stop };
}
