import { totalmem } from "node:os";
import { parseArgs } from "node:util";
import { memoryFor, memoryForHeap } from "../../../engine/nodeFlags.ts";
import { openFreshDatabase, type Postgres, startTemporaryPostgres } from "../../devnet/postgres.ts";
import { type Figure, judge, report, reportOptions } from "../report.ts";
import { aloneFigures, measureAlone } from "./alone.ts";
import { measureBase } from "./base.ts";
import { measureChanges } from "./changes.ts";
import { measureEnsv2 } from "./ensv2.ts";
import { figuresOf, GIB } from "./figures.ts";
import { measureGrowth } from "./growth.ts";
import { startChainNode } from "./node.ts";
import { startOperatorsPostgres } from "./postgres.ts";
import { type Measured, type Memory, measure, type Place } from "./rounds.ts";

// `npm run bench:index -- [--names N] [--rounds N] [--growth N] [--profile DIR] [--json FILE] [--docs FILE]`: the speed
// of the indexer and of two minimal indexers, on a generated chain with mainnet's contracts. `--base N` measures instead
// the indexer with N names of Base and hardly any of mainnet. `--ensv2 N [--migrated N]` measures the indexer with ENSv2, in
// which N of the .eth names are reserved, and some of them migrated.
// `--growth` indexes a smaller chain too, to see what an event costs as the index grows. `--profile` indexes once more
// and writes a profile of the processor's time, for Chromium's developer tools. `--changes` measures instead what each of
// our changes to Ponder brings.
// `--alone` is for a chain as large as mainnet: Namedex without the minimal indexers, once cold, once warm (`--rounds`),
// then its large indexes and counts, and a restart. PostgreSQL has compose.yaml's settings, and the indexer the memory that
// `npm start` gives it on 16 GiB; with `--heap GIB` it has what `npm start` gives beside a heap of this size.
// `--cache MIB` gives the rows that handlers find this much memory, by Ponder's count, as a machine does that is too small.

const option = { type: "string" } as const;
const flag = { type: "boolean", default: false } as const;
const { values } = parseArgs({
  options: {
    ...{ ...reportOptions, rounds: option, growth: option, profile: option, heap: option, cache: option },
    ...{ changes: flag, alone: flag, base: option, ensv2: option, migrated: option },
  },
});
/** Mainnet beside Base has what Ponder needs to start with. */
const names = Number(values.names ?? (values.base === undefined ? 100_000 : 20));
const rounds = Number(values.rounds ?? (values.alone ? 1 : 3));
const MIB = 2 ** 20;
const inGib = (bytes: number) => `${(bytes / GIB).toFixed(2)} GiB`;
const english = (value: number) => value.toLocaleString("en");

const postgres = await startPostgres();
const cutover = { reserved: Number(values.ensv2 ?? 0), migrated: Number(values.migrated ?? 0) };
const chain = await startChainNode(names, "mainnet", cutover);
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
  report(figures.map(judge), { json: values.json, docs: values.docs, made });
} finally {
  chain.stop();
  await postgres.stop();
}

function startPostgres(): Promise<Postgres> {
  if (values.alone) return startOperatorsPostgres();
  // What a commit costs shows only where PostgreSQL waits for the disk.
  return values.changes ? startTemporaryPostgres([]) : startTemporaryPostgres();
}

/** What `npm start` chooses; outside of `--alone`, what Node and Ponder choose by themselves. */
function chooseMemory(): Memory | undefined {
  const ofMachine = values.alone ? memoryFor(Math.min(totalmem(), 16 * GIB), {}) : undefined;
  const chosen = values.heap === undefined ? ofMachine : memoryForHeap(Number(values.heap) * GIB);
  if (values.cache === undefined) return chosen;
  return { flags: chosen?.flags ?? [], env: { PONDER_CACHE_BYTES: String(Number(values.cache) * MIB) } };
}

function measureAll(place: Place): Promise<Figure[]> {
  if (values.changes) return measureChanges(place, rounds);
  if (values.base !== undefined) return measureBase({ names: Number(values.base), rounds }, place);
  if (values.ensv2 !== undefined) return measureEnsv2({ ...cutover, rounds }, place);
  return values.alone ? measureNamedex(place) : measureIndexers(place);
}

async function measureIndexers(place: Place): Promise<Figure[]> {
  const served = await chain.readSpeed();
  const measured = await measure({ ...place, rounds, profile: values.profile });
  const figures = figuresOf(measured);
  figures.push({ bench: "index", name: "the chain's node by itself", value: served, unit: "logs/s" });
  return [...figures, ...(await growthOf("index", place, measured.warm.namedex))];
}

async function measureNamedex(place: Place): Promise<Figure[]> {
  const measured = await measureAlone(place, rounds);
  return [...aloneFigures(measured), ...(await growthOf("alone", place, measured.warm))];
}

async function growthOf(bench: string, { memory }: Place, large: readonly Measured[]): Promise<Figure[]> {
  if (!values.growth) return [];
  const sizes = { small: Number(values.growth), names, rounds };
  return [{ bench, ...(await measureGrowth(sizes, { postgres, large, memory })) }];
}
