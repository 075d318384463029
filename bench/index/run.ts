import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { openFreshDatabase, type Postgres, startTemporaryPostgres } from "../../devnet/postgres.ts";
import { memoryFor, memoryForHeap } from "../../engine/memory.ts";
import { readOptions, reportOptions } from "../commandLine.ts";
import { type Figure, judge, report } from "../report.ts";
import { aloneFigures, measureAlone } from "./alone.ts";
import { measureBase } from "./base.ts";
import { chooseCases, lastCommit, measureCases } from "./cases.ts";
import { measureEnsv2 } from "./ensv2.ts";
import { figuresOf, GIB } from "./figures.ts";
import { measureGrowth } from "./growth.ts";
import { measureLabels } from "./labels.ts";
import { startChainNode } from "./node.ts";
import { startOperatorsPostgres } from "./postgres.ts";
import { measureProvider } from "./provider.ts";
import { type Measured, type Memory, measure, type Place } from "./rounds.ts";

// `npm run bench:index`: the speed of the indexer and of two minimal indexers, on a generated chain with mainnet's
// contracts.

const options = readOptions("npm run bench:index", {
  names: { value: "N", meaning: "how many .eth names; 100000 unless told" },
  rounds: { value: "N", meaning: "how often each is measured, in turn; 3 if not given, 1 with --alone" },
  growth: {
    value: "N",
    meaning: "indexes a smaller chain too, to see what an event costs as the index grows",
  },
  case: {
    value: "TEXT",
    meaning: "measures instead what a patch of Ponder saves in its own case: the name of one, or all",
  },
  base: { value: "N", meaning: "measures instead N names of Base, and hardly any of mainnet" },
  ensv2: {
    value: "N",
    meaning: "measures instead the indexer with ENSv2, with N of the names reserved in it",
  },
  migrated: { value: "N", meaning: "of these, how many go to ENSv2; 0 unless told" },
  labels: {
    value: "N",
    meaning: "measures instead what N known labels cost a backfill, and what it costs where none is known",
  },
  provider: {
    meaning:
      "measures instead a first index by a provider's plan, with and without the patch logSync; take few names",
  },
  alone: { meaning: "Namedex only, for large chains: cold, warm, its indexes and counts, and a restart" },
  heap: { value: "N", meaning: "a heap of N GiB; with --alone what npm start chooses on 16 GiB unless told" },
  cache: {
    value: "N",
    meaning: "N MiB for the rows that handlers find, as on a machine that is too small",
  },
  profile: {
    value: "DIR",
    meaning: "indexes once more and writes a profile, for Chromium's developer tools",
  },
  ...reportOptions,
});
/** Mainnet beside Base has what Ponder needs to start with. */
const names = options.names ?? (options.base === undefined ? 100_000 : 20);
const rounds = options.rounds ?? (options.alone ? 1 : 3);
const MIB = 2 ** 20;
const inGib = (bytes: number) => `${(bytes / GIB).toFixed(2)} GiB`;
const english = (value: number) => value.toLocaleString("en");

const chosenCases = options.case === undefined ? undefined : chooseCases(options.case);
const postgres = await startPostgres();
if (chosenCases !== undefined) {
  const figures = await measureCases(chosenCases, { postgresUrl: postgres.url, rounds });
  await postgres.stop();
  report(figures.map(judge), {
    ...options,
    made: `${rounds} rounds in turn, of which the middle one counts; program of ${lastCommit()}`,
  });
  process.exit();
}
const cutover = { reserved: options.ensv2 ?? 0, migrated: options.migrated ?? 0 };
const folder = mkdtempSync(join(tmpdir(), "namedex-bench-"));
const wordList = join(folder, "labels.txt");
const chain = await startChainNode(names, "mainnet", {
  ...cutover,
  ...(options.labels !== undefined && { labels: wordList }),
});
try {
  const chainInWords = `${english(names)} .eth names, ${english(chain.logs)} logs in ${english(chain.blocks)} blocks`;
  console.log(chainInWords);
  const { bytes, peakBytes } = chain.memory();
  console.log(
    `The chain's node has ${inGib(bytes)}; while it generated them it had up to ${inGib(peakBytes)}`,
  );
  const memory = chooseMemory();
  if (memory) console.log(`The indexer has ${[...memory.flags, JSON.stringify(memory.env)].join(" ")}`);
  const place = { databaseUrl: await openFreshDatabase(postgres.url, "bench"), chain, memory };
  const figures = await measureAll(place);
  const made = `${chainInWords}; ${rounds} rounds in turn, of which the middle one counts`;
  report(figures.map(judge), { ...options, made });
} finally {
  chain.stop();
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}

function startPostgres(): Promise<Postgres> {
  if (options.alone) return startOperatorsPostgres();
  // What a commit costs shows only where PostgreSQL waits for the disk.
  return options.case ? startTemporaryPostgres([]) : startTemporaryPostgres();
}

/** As `npm start` chooses; without `--alone`, as Node and Ponder choose. */
function chooseMemory(): Memory | undefined {
  const ofMachine = options.alone ? memoryFor(Math.min(totalmem(), 16 * GIB), {}) : undefined;
  const chosen = options.heap === undefined ? ofMachine : memoryForHeap(options.heap * GIB);
  if (options.cache === undefined) return chosen;
  return { flags: chosen?.flags ?? [], env: { PONDER_CACHE_BYTES: String(options.cache * MIB) } };
}

function measureAll(place: Place): Promise<Figure[]> {
  if (options.provider) return measureProvider(place, postgres);
  if (options.base !== undefined) return measureBase({ names: options.base, rounds }, place);
  if (options.labels !== undefined) return measureLabels({ count: options.labels, rounds, wordList }, place);
  if (options.ensv2 !== undefined) return measureEnsv2({ ...cutover, rounds }, place);
  return options.alone ? measureNamedex(place) : measureIndexers(place);
}

async function measureIndexers(place: Place): Promise<Figure[]> {
  const served = await chain.readSpeed();
  const measured = await measure({ ...place, rounds, profile: options.profile });
  const figures = figuresOf(measured, chain.blocks);
  figures.push({ bench: "index", name: "the chain's node by itself", value: served, unit: "logs/s" });
  return [...figures, ...(await growthOf("index", place, measured.warm.namedex))];
}

async function measureNamedex(place: Place): Promise<Figure[]> {
  const measured = await measureAlone(place, rounds);
  return [...aloneFigures(measured, chain.blocks), ...(await growthOf("alone", place, measured.warm))];
}

async function growthOf(bench: string, { memory }: Place, large: readonly Measured[]): Promise<Figure[]> {
  if (!options.growth) return [];
  const sizes = { small: options.growth, names, rounds };
  return [{ bench, ...(await measureGrowth(sizes, { postgres, large, memory })) }];
}
