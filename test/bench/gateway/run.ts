/**
 * `npm run bench:gateway`: what the gateway adds to an answer. A name is asked for directly and through the gateway in
 * turn, on one machine, so that their ratio holds whatever else the machine does.
 */
import { fork, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { endChild, keepChild } from "../../devnet/children.ts";
import { freePort } from "../../devnet/ports.ts";
import type { Load, Seen } from "../api/load.ts";
import { takeSamples } from "../api/samples.ts";
import { startServer } from "../api/server.ts";
import { judge, type Row, readReportOptions, report } from "../report.ts";

const ROUNDS = 15;
const SECONDS = 2;
const CROWDS = [1, 8];
const MAX_RATIO = 1.15;

const options = readReportOptions();
const names = Number(options.names ?? 100_000);
const data = fileURLToPath(new URL("../../../.namedex/bench", import.meta.url));
const program = fileURLToPath(new URL("../../../gateway/index.ts", import.meta.url));

const asker = fork(fileURLToPath(new URL("../api/load.ts", import.meta.url)));

async function ask(load: Load): Promise<Seen> {
  asker.send(load);
  const [answer] = (await once(asker, "message")) as [{ seen: Seen } | { error: string }];
  if ("error" in answer) throw new Error(answer.error);
  if (answer.seen.failed > 0) throw new Error(`${load.url}: ${answer.seen.failed} answers were errors`);
  return answer.seen;
}

/** The gateway as `npm run gateway` starts it, once it listens. */
async function startGateway(indexer: string): Promise<{ url: string; stop: () => Promise<void> }> {
  const port = await freePort();
  const child = spawn(process.execPath, [program], {
    env: {
      PATH: process.env.PATH,
      PORT: String(port),
      INDEXERS: indexer,
      GATEWAY_MAX_LAG_SECONDS: "1000000000",
    },
    stdio: ["ignore", "pipe", "inherit"],
    detached: true,
  });
  keepChild(child, "SIGTERM");
  const ended = once(child, "exit").then(() => true);
  for await (const text of child.stdout.setEncoding("utf8")) if (text.includes("listens on port")) break;
  if (await Promise.race([ended, false])) throw new Error("The gateway ended");
  return { url: `http://127.0.0.1:${port}`, stop: () => endChild(child) };
}

const median = (numbers: number[]): number =>
  numbers.sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;

/** Each round asks both ways, beginning with the other one than the round before. */
async function compare(plan: { direct: string; through: string; load: Omit<Load, "url"> }): Promise<Row[]> {
  const { direct, through, load } = plan;
  const rounds: { direct: Seen; through: Seen }[] = [];
  for (const url of [direct, through]) await ask({ ...load, url });
  for (let round = 0; round < ROUNDS; round++) {
    const seen: Record<string, Seen> = {};
    for (const url of round % 2 === 0 ? [direct, through] : [through, direct])
      seen[url] = await ask({ ...load, url });
    rounds.push({ direct: seen[direct] as Seen, through: seen[through] as Seen });
  }
  const name = `GET /whois/{name}, ${load.connections} at a time`;
  const ratio = median(rounds.map((round) => round.through.p50 / round.direct.p50));
  const p50 = (way: "direct" | "through") => median(rounds.map((round) => round[way].p50));
  const figure = { bench: "gateway", unit: "ms p50" };
  return [
    judge({ ...figure, name: `${name}, direct`, value: p50("direct") }),
    judge({
      ...{ ...figure, name: `${name}, through the gateway`, value: p50("through") },
      ...{ ratio, target: { of: "ratio", atMost: MAX_RATIO } },
    }),
  ];
}

const server = await startServer({ names, data, say: (line) => console.error(line) });
try {
  const gateway = await startGateway(server.url);
  const samples = await takeSamples(server.pool);
  const requests = samples.names.map(({ name }) => ({ path: `/whois/${encodeURIComponent(name)}` }));
  const rows: Row[] = [];
  for (const connections of CROWDS) {
    const load = { requests, connections, seconds: SECONDS };
    rows.push(...(await compare({ direct: server.url, through: gateway.url, load })));
  }
  await gateway.stop();
  const made = `${names.toLocaleString("en")} generated names; ${ROUNDS} rounds of ${SECONDS} s each way, in turn`;
  report(rows, { json: options.json, docs: options.docs, made });
} finally {
  await server.stop();
  asker.disconnect();
}
