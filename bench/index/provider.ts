import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { openFreshDatabase, type Postgres } from "../../devnet/postgres.ts";
import type { Figure } from "../report.ts";
import { type Measured, measureOne, type Place } from "./rounds.ts";

// A first index by a provider's plan: with our fetching of logs, and with Ponder's own.

/** A usual plan on mainnet. */
const PLAN = { blocksPerRequest: 10_000, requestsPerSecond: 50, latencyMs: 30, blockBytes: 200_000 };

type Seen = { requests: Map<string, number>; limited: number; bytes: number };

/** What a block's other transactions are: as many objects as a block of that size has. */
const otherTransactions = JSON.stringify(
  Array.from({ length: Math.floor(PLAN.blockBytes / 750) }, (_, i) => ({
    hash: `0x${i.toString(16).padStart(64, "0")}`,
    input: `0x${"a9059cbb".repeat(70)}`,
  })),
);

/** Puts a plan's limits in front of a node, whose blocks become as large as mainnet's. */
async function startProviderOf(nodeUrl: string) {
  const seen: Seen = { requests: new Map(), limited: 0, bytes: 0 };
  let recent: number[] = [];
  const serve = async (request: IncomingMessage, reply: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const { id, method, params } = JSON.parse(body);
    const now = performance.now();
    recent = recent.filter((at) => now - at < 1_000);
    await sleep(PLAN.latencyMs);
    if (recent.length >= PLAN.requestsPerSecond) {
      seen.limited++;
      reply.writeHead(429, { "retry-after": "1" }).end("too many requests");
      return;
    }
    recent.push(now);
    seen.requests.set(method, (seen.requests.get(method) ?? 0) + 1);
    const send = (text: string) => {
      seen.bytes += text.length;
      reply.setHeader("content-type", "application/json").end(text);
    };
    if (method === "eth_getLogs") {
      const blocks = Number(params[0].toBlock) - Number(params[0].fromBlock) + 1;
      if (blocks > PLAN.blocksPerRequest) {
        const message = `eth_getLogs is limited to a ${PLAN.blocksPerRequest.toLocaleString("en")} range`;
        return send(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32_602, message } }));
      }
    }
    const answer = await (await fetch(nodeUrl, { method: "POST", body })).text();
    const isFullBlock = method === "eth_getBlockByNumber" && params[1] === true;
    send(isFullBlock ? answer.replace('"result":{', `"result":{"others":${otherTransactions},`) : answer);
  };
  const server = createServer((request, reply) => {
    serve(request, reply).catch(() => reply.destroy()); // The indexer or the node has ended.
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const stop = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${port}`, seen, stop };
}

type Run = { measured: Measured; seen: Seen };

async function indexBy(place: Place, postgres: Postgres, without: readonly string[]): Promise<Run> {
  const provider = await startProviderOf(place.chain.url);
  try {
    const databaseUrl = await openFreshDatabase(postgres.url, "bench_provider");
    const limited = { chain: { ...place.chain, url: provider.url }, memory: place.memory, databaseUrl };
    const env = { RPC_REQUESTS_PER_SECOND: String(PLAN.requestsPerSecond) };
    const measured = await measureOne("namedex", "cold", limited, { env, without });
    console.log(
      JSON.stringify({
        without,
        requests: Object.fromEntries(provider.seen.requests),
        bytes: provider.seen.bytes,
        limited: provider.seen.limited,
        seconds: measured.seconds,
      }),
    );
    return { measured, seen: provider.seen };
  } finally {
    provider.stop();
  }
}

/** What a first index takes by this plan, and how many times that it takes by Ponder's own fetching of logs. */
export async function measureProvider(place: Place, postgres: Postgres): Promise<Figure[]> {
  const ours = await indexBy(place, postgres, []);
  const theirs = await indexBy(place, postgres, ["logSync"]);
  const logsOf = ({ seen }: Run) => seen.requests.get("eth_getLogs") ?? 0;
  const requestsOf = ({ seen }: Run) => [...seen.requests.values()].reduce((sum, count) => sum + count, 0);
  const compare = (name: string, unit: string, figureOf: (run: Run) => number): Figure[] => [
    { bench: "provider", name, unit, value: figureOf(ours) },
    {
      bench: "provider",
      name: `${name}, without logSync`,
      unit,
      value: figureOf(theirs),
      ratio: figureOf(theirs) / figureOf(ours),
    },
  ];
  return [
    ...compare("requests for logs", "requests", logsOf),
    ...compare("requests", "requests", requestsOf),
    ...compare("requests beyond the plan's rate", "requests", ({ seen }) => seen.limited),
    ...compare("received", "MB", ({ seen }) => seen.bytes / 1e6),
    ...compare("a first index", "s", ({ measured }) => measured.seconds),
    ...compare("peak memory of the indexer", "GiB", ({ measured }) => measured.peakBytes / 2 ** 30),
  ];
}
