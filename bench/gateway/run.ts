/**
 * `npm run bench:gateway`: what the gateway adds to an answer. A name is asked for directly and through the gateway in
 * turn, on one machine, so that their ratio holds whatever else the machine does. A bare proxy, which only passes bytes
 * on, shows how much of it is the way through another process: the gateway is held against that.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Load, Seen } from "../api/load.ts";
import { takeSamples } from "../api/samples.ts";
import { startServer } from "../api/server.ts";
import { DATA, startAsker } from "../asker.ts";
import { readOptions, reportOptions } from "../commandLine.ts";
import { judge, type Row, report } from "../report.ts";
import { startGateway } from "./start.ts";

const ROUNDS = 15;
const SECONDS = 2;
const CROWDS = [1, 8];

/** How many times as long as through a bare proxy the median answer may take, with {@link JUDGED_CROWD} callers. */
const MAX_RATIO = 1.25;
const JUDGED_CROWD = 8;

const { names = 100_000, ...files } = readOptions("npm run bench:gateway", {
  names: { value: "N", meaning: "how many names to generate; 100000 unless told" },
  ...reportOptions,
});

const asker = startAsker<Load, Seen>(new URL("../api/load.ts", import.meta.url));

async function ask(load: Load): Promise<Seen> {
  const seen = await asker.ask(load);
  if (seen.failed > 0) throw new Error(`${load.url}: ${seen.failed} answers were errors`);
  return seen;
}

const median = (numbers: number[]): number =>
  numbers.sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;

/** The bare proxy before the indexer. */
async function startBareProxy(indexer: string): Promise<{ url: string; stop: () => void }> {
  const child = fork(fileURLToPath(new URL("./bareProxy.ts", import.meta.url)));
  child.send(Number(new URL(indexer).port));
  const [port] = (await once(child, "message")) as [number];
  return { url: `http://127.0.0.1:${port}`, stop: () => child.disconnect() };
}

const ways = ["direct", "bare", "through"] as const;
type Way = (typeof ways)[number];

/** Each round asks all ways, beginning with the next one after that of the round before. */
async function compare(plan: { urls: Record<Way, string>; load: Omit<Load, "url"> }): Promise<Row[]> {
  const { urls, load } = plan;
  const rounds: Record<Way, Seen>[] = [];
  for (const way of ways) await ask({ ...load, url: urls[way] });
  for (let round = 0; round < ROUNDS; round++) {
    const seen: Partial<Record<Way, Seen>> = {};
    const first = round % ways.length;
    for (const way of [...ways.slice(first), ...ways.slice(0, first)])
      seen[way] = await ask({ ...load, url: urls[way] });
    rounds.push(seen as Record<Way, Seen>);
  }
  const name = `GET /whois/{name}, ${load.connections} at a time`;
  const ratio = (way: Way, to: Way) => median(rounds.map((round) => round[way].p50 / round[to].p50));
  const p50 = (way: Way) => median(rounds.map((round) => round[way].p50));
  const figure = { bench: "gateway", unit: "ms p50" };
  return [
    judge({ ...figure, name: `${name}, direct`, value: p50("direct") }),
    judge({ ...figure, name: `${name}, a bare proxy`, value: p50("bare"), ratio: ratio("bare", "direct") }),
    judge({
      ...figure,
      name: `${name}, through the gateway`,
      value: p50("through"),
      ratio: ratio("through", "bare"),
      ...(load.connections === JUDGED_CROWD && { target: { of: "ratio", atMost: MAX_RATIO } }),
    }),
  ];
}

const server = await startServer({ names, data: DATA, say: (line) => console.error(line) });
try {
  const gateway = await startGateway([server.url]);
  const bare = await startBareProxy(server.url);
  const urls = { direct: server.url, bare: bare.url, through: gateway.url };
  const samples = await takeSamples(server.pool);
  const requests = samples.names.map(({ name }) => ({ path: `/whois/${encodeURIComponent(name)}` }));
  const rows: Row[] = [];
  for (const connections of CROWDS) {
    const load = { requests, connections, seconds: SECONDS };
    rows.push(...(await compare({ urls, load })));
  }
  bare.stop();
  await gateway.stop();
  const made = `${names.toLocaleString("en")} generated names; ${ROUNDS} rounds of ${SECONDS} s each way, in turn`;
  report(rows, { ...files, made });
} finally {
  await server.stop();
  asker.stop();
}
