import type { Figure } from "../report.ts";
import { GIB, median, speedOf } from "./figures.ts";
import { startChainNode } from "./node.ts";
import { type Measured, measure, type Place } from "./rounds.ts";

/** Registrations on Base in the middle of 2026, as others counted them. */
const REGISTRATIONS = 3_670_000;

/** What names of Base cost: the generated ones, and scaled to all. */
export async function measureBase(
  { names, rounds }: { names: number; rounds: number },
  place: Place,
): Promise<Figure[]> {
  const base = await startChainNode(names, "base");
  try {
    console.log(`Base: ${names} names, ${base.logs} logs in ${base.blocks} blocks`);
    const { cold, cacheBytes, warm } = await measure({ ...place, base, rounds });
    const all = REGISTRATIONS / names;
    const last = warm.namedex.at(-1) ?? cold;
    const speed = (runs: readonly Measured[]) => median(runs.map(speedOf));
    const figures: Omit<Figure, "bench">[] = [
      { name: "empty handlers, warm", value: speed(warm.floor), unit: "events/s" },
      { name: "Namedex, warm", value: speed(warm.namedex), unit: "events/s" },
      { name: "Namedex, cold", value: speedOf(cold), unit: "events/s" },
      {
        name: "logs per registration, including later ones",
        value: base.logs / names,
        unit: "",
      },
      {
        name: "blocks with logs, of all registrations",
        value: (base.blocks * all) / 1e6,
        unit: "million",
      },
      {
        name: "tables and indexes, of all registrations",
        value: (last.tableBytes * all) / GIB,
        unit: "GiB",
      },
      {
        name: "RPC cache, of all registrations",
        value: (cacheBytes * all) / GIB,
        unit: "GiB",
      },
      { name: "peak memory of the indexer", value: last.peakBytes / GIB, unit: "GiB" },
    ];
    return figures.map((figure) => ({ bench: "base", ...figure }));
  } finally {
    base.stop();
  }
}
