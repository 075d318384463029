/**
 * `npm run bench:api`: what the API takes to answer, on generated names, against the least that it could take. Every
 * operation is measured in turn with its reference, so that their ratio holds whatever else the machine does.
 */
import type { Request } from "autocannon";
import { DATA, startAsker } from "../asker.ts";
import { isAsked, readOptions, reportOptions } from "../commandLine.ts";
import { judge, type Row, report } from "../report.ts";
import { cursorOperations } from "./cursors.ts";
import type { Load, Seen } from "./load.ts";
import { type Document, type Operation, operationsOf } from "./operations.ts";
import { measurePages } from "./pages.ts";
import { type Samples, takeSamples } from "./samples.ts";
import { type Server, startServer } from "./server.ts";
import { subgraphOperations } from "./subgraph.ts";
import { WORLD_TIME } from "./worldTime.ts";

const {
  names = 1_000_000,
  base = 0,
  growth = 100_000,
  seconds = 1,
  rounds = 3,
  soak: soakSeconds = 300,
  only = "",
  profile,
  data = DATA,
  ...files
} = readOptions("npm run bench:api", {
  names: { value: "N", meaning: "how many names to generate; 1000000 unless told" },
  base: { value: "N", meaning: "how many names of Base to generate besides; 0 unless told" },
  growth: {
    value: "N",
    meaning: "how many names to hold the growth against; 100000 unless told, 0 for none",
  },
  seconds: { value: "N", meaning: "how long each slice of a measurement is; 1 unless told" },
  rounds: { value: "N", meaning: "how many slices of each operation; 3 unless told" },
  soak: {
    value: "N",
    meaning: "seconds of full load at the end, for memory and stalls; 300 unless told, 0 for none",
  },
  only: { value: "TEXT", meaning: "only operations whose name has this text; several with `|` between" },
  profile: {
    value: "DIR",
    meaning: "writes a profile of the API's process, for Chromium's developer tools",
  },
  data: { value: "DIR", meaning: "where the generated databases are kept; .namedex/bench unless told" },
  ...reportOptions,
});
const say = (line: string) => console.error(line);

const isWanted = (one: { name: string }): boolean => isAsked(only, one);

/** As many as keep both cores of a small machine busy. */
const CONNECTIONS = 4;

const asker = startAsker<Load, Seen>(new URL("./load.ts", import.meta.url));

const ask = (load: Omit<Load, "connections"> & { connections?: number }): Promise<Seen> =>
  asker.ask({ connections: CONNECTIONS, ...load });

const median = (numbers: number[]): number =>
  numbers.sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;

type References = Record<Operation["against"], Request[]>;

const referencesOf = ({ names }: Samples): References => ({
  floor: names.map(({ node }) => ({ path: `/bench/floor/${node}` })),
  count: [{ path: "/bench/count" }],
  whois: names.map(({ name }) => ({ path: `/whois/${encodeURIComponent(name)}` })),
});

/** Asks an operation and its reference in turn. */
async function measure(url: string, operation: Operation, references: References) {
  const slices: { own: Seen; reference: Seen }[] = [];
  for (let round = 0; round < rounds; round++) {
    const reference = await ask({ url, requests: references[operation.against], seconds });
    const own = await ask({ url, requests: operation.requests, seconds });
    slices.push({ own, reference });
  }
  const value = median(slices.map(({ own }) => own[operation.figure]));
  const ratio = median(
    slices.map(({ own, reference }) => own[operation.figure] / reference[operation.figure]),
  );
  const failed = slices.reduce((sum, { own }) => sum + own.failed, 0);
  return { value, ratio, failed, p50: median(slices.map(({ own }) => own.p50)) };
}

/** Errors of GraphQL come with status 200: an operation that only fails would pass for quick. */
async function requireData(url: string, { name, path, requests: [first] }: Operation): Promise<void> {
  if (path !== "/subgraph" || first === undefined) return;
  const { method, body } = first as { method: string; body: string };
  const answer = await (await fetch(`${url}${path}`, { method, body })).text();
  if (!answer.startsWith('{"data"')) throw new Error(`${name}: ${answer.slice(0, 300)}`);
}

type Measured = { rows: Row[]; p50: Map<string, number> };

/** Measures operations in turn. */
async function measureAll(url: string, operations: Operation[], samples: Samples): Promise<Measured> {
  const references = referencesOf(samples);
  for (const requests of Object.values(references)) await ask({ url, requests, seconds: 2 });
  const rows: Row[] = [];
  const p50 = new Map<string, number>();
  for (const operation of operations.filter(isWanted)) {
    await ask({ url, requests: operation.requests, seconds: 1 });
    await requireData(url, operation);
    const seen = await measure(url, operation, references);
    if (seen.failed > 0) {
      const fault = { name: `${operation.name}, failed answers`, value: seen.failed, unit: "answers" };
      rows.push(judge({ bench: "api", ...fault, target: { of: "value", atMost: 0 } }));
      say(`${operation.name}: ${seen.failed} answers failed`);
    }
    const unit = operation.figure === "perSecond" ? "requests/s" : `ms ${operation.figure}`;
    const { name, target } = operation;
    rows.push(judge({ bench: "api", name, value: seen.value, unit, ratio: seen.ratio, target }));
    if (operation.grows === undefined && operation.figure !== "perSecond") p50.set(name, seen.p50);
    say(`${name}: ${seen.value.toFixed(2)} ${unit}, ratio ${seen.ratio.toFixed(2)}`);
  }
  return { rows, p50 };
}

/** Measures everything at one size. */
async function runAt(size: number): Promise<Measured> {
  const ofEnsv2 = await runEnsv2(size);
  const server = await startServer({ names: size, base, data, say, profile });
  try {
    const samples = await takeSamples(server.pool);
    const document = (await (await fetch(`${server.url}/openapi.json`)).json()) as Document;
    const operations = [
      ...operationsOf(document, samples, WORLD_TIME).filter((one) => !one.ofEnsv2),
      ...(await cursorOperations(server.url, samples)),
      ...subgraphOperations(samples, WORLD_TIME),
    ];
    const { rows, p50 } = await measureAll(server.url, operations, samples);
    rows.push(...ofEnsv2);
    if (size === names) {
      rows.push(...(await measurePages({ url: server.url, samples, ask, seconds, isAsked: isWanted, say })));
    }
    if (size === names && soakSeconds > 0) rows.push(...(await soak(server, operations)));
    return { rows, p50 };
  } finally {
    await server.stop();
  }
}

/** Measures what only ENSv2 has, of a server that indexes it. */
async function runEnsv2(size: number): Promise<Row[]> {
  const server = await startServer({ names: size, base, data, say, profile, ensv2: true });
  try {
    const samples = await takeSamples(server.pool);
    const document = (await (await fetch(`${server.url}/openapi.json`)).json()) as Document;
    const operations = operationsOf(document, samples, WORLD_TIME).filter((one) => one.ofEnsv2);
    return (await measureAll(server.url, operations, samples)).rows;
  } finally {
    await server.stop();
  }
}

type Process = { stallMs: number; rss: number; heapUsed: number };

/** Everything at once for some minutes: memory has to stay where it was, and no answer may keep all others waiting. */
async function soak({ url }: Server, operations: Operation[]): Promise<Row[]> {
  const readProcess = async () => (await (await fetch(`${url}/bench/process`)).json()) as Process;
  const requests = operations
    .filter(({ against }) => against !== "count")
    .flatMap((one) => one.requests.slice(0, 20));
  const load = async (part: number) => {
    await ask({ url, requests, seconds: part, connections: 8 });
    return readProcess();
  };
  say(`full load for ${soakSeconds} s`);
  await load(soakSeconds / 5);
  const early = await load(soakSeconds / 5);
  const late = await load((soakSeconds * 3) / 5);
  const stall = Math.max(early.stallMs, late.stallMs);
  const growthOfMemory = late.rss / early.rss;
  return [
    judge({
      bench: "api",
      name: "memory under full load",
      value: Math.round(late.rss / 2 ** 20),
      unit: "MiB",
      ratio: growthOfMemory,
      target: { of: "ratio", atMost: 1.15 },
    }),
    judge({
      bench: "api",
      name: "longest stall under full load",
      value: stall,
      unit: "ms",
      target: { of: "value", atMost: 100 },
    }),
  ];
}

/** How much longer the middle answer takes in the large index than in the small one. */
function growthRows(large: Map<string, number>, small: Map<string, number>): Row[] {
  return [...large].map(([name, value]) =>
    judge({
      bench: "api",
      name: `${name}, growth`,
      value,
      unit: "ms p50",
      ratio: value / (small.get(name) ?? Number.NaN),
      target: { of: "ratio", atMost: 1.5 },
    }),
  );
}

const small = growth > 0 && growth !== names ? await runAt(growth) : null;
const large = await runAt(names);
const rows = [...large.rows, ...(small ? growthRows(large.p50, small.p50) : [])];
const ofBase = base > 0 ? `, and ${base.toLocaleString("en")} of Base` : "";
const made = `${names.toLocaleString("en")} generated names${ofBase}; ${CONNECTIONS} connections (pages: one), ${rounds} slices of ${seconds} s each, in turn with the reference`;
report(rows, { ...files, made });
asker.stop();
