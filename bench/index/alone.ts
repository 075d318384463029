import { setTimeout as sleep } from "node:timers/promises";
import type { Figure } from "../report.ts";
import { type RunningApp, restart } from "./app.ts";
import {
  GIB,
  handlerFigures,
  MAINNET_LOGS,
  median,
  requestFigures,
  speedOf,
  storeFigures,
} from "./figures.ts";
import { bytesOf } from "./process.ts";
import {
  dropSchema,
  isConnected,
  type Measured,
  measureAndKeep,
  measureOne,
  type Place,
  planOf,
  sizesOf,
} from "./rounds.ts";

/** The chain's head is fixed: after this time nothing more comes. */
const STEADY_AFTER_MS = 15_000;

/** What an indexer did after it was ready. */
type Afterwards = {
  /** Building the large indexes, and counting names and days. */
  indexSeconds: number;
  countSeconds: number;
  /** Memory once all that is done. */
  steadyBytes: number;
};

type Sizes = { tables: number; indexes: number };

/** Namedex by itself on a chain: cold, several times warm, and started again on the last index. */
export type Alone = {
  cold: Measured;
  warm: Measured[];
  afterwards: Afterwards;
  restartSeconds: number;
  sizes: Sizes;
  cache: Sizes;
};

/** Indexes the chain with Namedex only. The last index is looked after as one in use, and started again. */
export async function measureAlone(place: Place, rounds: number): Promise<Alone> {
  const cold = await measureOne("namedex", "cold", place);
  const cache = await sizesOf(place.databaseUrl, "namedex_cache");
  const warm: Measured[] = [];
  for (let round = 1; round < rounds; round++) {
    warm.push(await measureOne("namedex", `warm_${round}`, place));
  }
  const schema = `warm_${rounds}`;
  let afterwards: Afterwards | undefined;
  const whenReady = async (app: RunningApp) => {
    afterwards = await watchUpkeep(app, { ...place, schema });
  };
  warm.push(await measureAndKeep("namedex", schema, place, { whenReady }));
  const sizes = await sizesOf(place.databaseUrl, schema);
  const restartSeconds = await restart({ schema, ...planOf(place) }).catch((error: Error) => {
    // What was measured in the hours before is kept.
    console.error(`The restart could not be measured: ${error.message}`);
    return Number.NaN;
  });
  console.log(`${schema}, started again: ready after ${restartSeconds.toFixed(1)} s`);
  await dropSchema(place.databaseUrl, schema);
  if (afterwards === undefined) throw new Error("the indexer was never ready");
  return { cold, warm, afterwards, restartSeconds, sizes, cache };
}

/** Waits until the API has built the large indexes and counted the names, and a while longer. */
async function watchUpkeep(
  { printed, requireRunning, pid }: RunningApp,
  { databaseUrl, schema }: { databaseUrl: string; schema: string },
): Promise<Afterwards> {
  while (printed("Counted all names") === null || (await isConnected(databaseUrl, `${schema}_upkeep`))) {
    requireRunning();
    await sleep(200);
  }
  const end = performance.now();
  const begun = printed("Building index")?.first ?? Number.NaN;
  const built = printed("Built index")?.last ?? Number.NaN;
  const afterwards = { indexSeconds: (built - begun) / 1_000, countSeconds: (end - built) / 1_000 };
  console.log(
    `${schema}: large indexes in ${afterwards.indexSeconds.toFixed(1)} s, counts in ${afterwards.countSeconds.toFixed(1)} s`,
  );
  await sleep(STEADY_AFTER_MS);
  return { ...afterwards, steadyBytes: bytesOf(pid) };
}

/** The figures of it. */
export function aloneFigures(
  { cold, warm, afterwards, restartSeconds, sizes, cache }: Alone,
  blocks: number,
): Figure[] {
  const last = warm.at(-1) ?? cold;
  const mainnet = MAINNET_LOGS / last.events;
  const inMainnet = ({ tables, indexes }: Sizes) => ((tables + indexes) / GIB) * mainnet;
  const peakBytes = Math.max(cold.peakBytes, ...warm.map((run) => run.peakBytes));
  const figures: Omit<Figure, "bench">[] = [
    { name: "Namedex, cold", value: speedOf(cold), unit: "events/s" },
    { name: "Namedex, warm", value: median(warm.map(speedOf)), unit: "events/s" },
    { name: "processors used by the chain's node, cold", value: cold.nodeShare, unit: "processors" },
    ...requestFigures(cold, blocks),
    ...storeFigures(last),
    { name: "peak memory of the indexer", value: peakBytes / GIB, unit: "GiB" },
    {
      name: "memory of the indexer while following the chain",
      value: afterwards.steadyBytes / GIB,
      unit: "GiB",
    },
    { name: "tables", value: sizes.tables / GIB, unit: "GiB" },
    { name: "indexes, including large ones", value: sizes.indexes / GIB, unit: "GiB" },
    { name: "tables and indexes, scaled to mainnet's logs", value: inMainnet(sizes), unit: "GiB" },
    { name: "RPC cache, tables", value: cache.tables / GIB, unit: "GiB" },
    { name: "RPC cache, indexes", value: cache.indexes / GIB, unit: "GiB" },
    { name: "RPC cache, scaled to mainnet's logs", value: inMainnet(cache), unit: "GiB" },
    { name: "building the indexes", value: median(warm.map((run) => run.indexSeconds)), unit: "s" },
    { name: "from the last event to ready", value: median(warm.map((run) => run.readySeconds)), unit: "s" },
    { name: "building the large indexes, after ready", value: afterwards.indexSeconds, unit: "s" },
    { name: "counting names and days, after that", value: afterwards.countSeconds, unit: "s" },
    { name: "from a restart to ready", value: restartSeconds, unit: "s" },
    ...handlerFigures(last),
  ];
  return figures.map((figure) => ({ bench: "alone", ...figure }));
}
