import type { Postgres } from "../../devnet/postgres.ts";
import { openFreshDatabase } from "../../devnet/postgres.ts";
import type { Figure } from "../report.ts";
import { median } from "./figures.ts";
import { startChainNode } from "./node.ts";
import { type Measured, measureOne, type Place } from "./rounds.ts";

const costOf = ({ seconds, events }: Measured) => (seconds / events) * 1e6;

/** What an event costs in a chain of `names` .eth names, against what it costs in a smaller one. */
export async function measureGrowth(
  { small, names, rounds }: { small: number; names: number; rounds: number },
  { postgres, large, memory }: { postgres: Postgres; large: readonly Measured[] } & Pick<Place, "memory">,
): Promise<Omit<Figure, "bench">> {
  const chain = await startChainNode(small);
  try {
    const place = { chain, memory, databaseUrl: await openFreshDatabase(postgres.url, "bench_small") };
    await measureOne("floor", "cold", place);
    const runs: Measured[] = [];
    for (let round = 0; round < rounds; round++) {
      runs.push(await measureOne("namedex", `warm_small_${round}`, place));
    }
    const [cost, smallCost] = [median(large.map(costOf)), median(runs.map(costOf))];
    return {
      name: `one event, ${names} names relative to ${small}`,
      value: cost,
      unit: "microseconds",
      ratio: cost / smallCost,
      target: { of: "ratio", atMost: 1.3 },
    };
  } finally {
    chain.stop();
  }
}
