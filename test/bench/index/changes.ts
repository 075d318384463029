import type { Change } from "../../../engine/change.ts";
import { blocksWithLogs } from "../../../engine/changes/blocksWithLogs.ts";
import { changes } from "../../../engine/changes/index.ts";
import { quickCache } from "../../../engine/changes/quickCache.ts";
import type { Figure } from "../report.ts";
import { median, speedOf } from "./figures.ts";
import { dropCache, hashOfCache, type Measured, measureOne, type Place } from "./rounds.ts";

const cpuOf = ({ events, cpuSeconds }: Measured) => (cpuSeconds / events) * 1e6;

const without = (...lacking: Change[]): Change[] => changes.filter((one) => !lacking.includes(one));

/** These show only while a chain is asked for the first time. */
const coldChanges = [blocksWithLogs, quickCache];

/**
 * What each change to Ponder brings. Indexes the chain from the cache of RPC answers with all changes, and then without
 * each of them, in turn. Ratios are of the runs of one round, without a change to with all of them.
 */
export async function measureChanges(place: Place, rounds: number): Promise<Figure[]> {
  const cold = await measureCold(place, rounds);
  const all: Measured[] = [];
  const warmChanges = without(...coldChanges);
  const lacking = new Map<Change, Measured[]>(warmChanges.map((change) => [change, []]));
  for (let round = 0; round < rounds; round++) {
    all.push(await measureOne("namedex", `all_${round}`, place, { changes }));
    for (const [change, runs] of lacking) {
      const schema = `without_${change.name.toLowerCase()}_${round}`;
      runs.push(await measureOne("namedex", schema, place, { changes: without(change) }));
    }
  }
  return [
    ...cold,
    figure("all changes", all, all),
    ...[...lacking].map(([{ name }, runs]) => figure(`without ${name}`, runs, all)),
    ...[...lacking].map(([{ name }, runs]) => costFigure(`without ${name}`, runs, all)),
  ];
}

/**
 * Indexes the chain with an empty cache: with all changes, without each of those that show then, and without any of them.
 * The cache must have the same rows each time; the last run leaves it for what follows.
 */
async function measureCold(place: Place, rounds: number): Promise<Figure[]> {
  const ways: { name: string; lacks: Change[]; runs: Measured[] }[] = [
    ...coldChanges.map((change) => ({ name: change.name, lacks: [change], runs: [] })),
    { name: "both", lacks: coldChanges, runs: [] },
    { name: "none", lacks: [], runs: [] },
  ];
  const hashes = new Set<string>();
  for (let round = 0; round < rounds; round++) {
    for (const { name, lacks, runs } of ways) {
      await dropCache(place.databaseUrl);
      const schema = `cold_without_${name.toLowerCase()}_${round}`;
      runs.push(await measureOne("namedex", schema, place, { changes: without(...lacks) }));
      hashes.add(await hashOfCache(place.databaseUrl));
    }
  }
  if (hashes.size > 1) throw new Error("The cache of RPC answers has other rows without a change");
  const all = ways.find(({ name }) => name === "none")?.runs ?? [];
  return ways.map(({ name, runs }) => figure(`cold, without ${name}`, runs, all));
}

const medianRatio = (runs: readonly Measured[], others: readonly Measured[], of: (run: Measured) => number) =>
  median(runs.map((run, round) => of(run) / of(others[round] ?? run)));

const figure = (name: string, runs: readonly Measured[], all: readonly Measured[]): Figure => ({
  ...{ bench: "changes", name, value: median(runs.map(speedOf)), unit: "events/s" },
  ...(runs === all ? {} : { ratio: medianRatio(runs, all, speedOf) }),
});

const costFigure = (name: string, runs: readonly Measured[], all: readonly Measured[]): Figure => ({
  ...{
    bench: "changes",
    name,
    value: median(runs.map(cpuOf)),
    unit: "microseconds of processor for an event",
  },
  ratio: medianRatio(runs, all, cpuOf),
});
