import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Figure } from "../report.ts";
import { type Cutover, deploymentWithEnsv2 } from "./chain/ensv2.ts";
import { GIB, median, speedOf } from "./figures.ts";
import type { ChainNode } from "./node.ts";
import { type Measured, measureOne, type Place } from "./rounds.ts";

/** Logs of the reservation of all names of mainnet: three for each of 925,618. */
const LOGS_OF_ALL = 3 * 925_618;

/**
 * What ENSv2 costs: the same chain is indexed with the block of ENSv2 in the deployment, and without, in turn. Without it,
 * the logs of ENSv2 are not asked for.
 */
export async function measureEnsv2(
  { reserved, migrated, rounds }: Cutover & { rounds: number },
  place: Place,
): Promise<Figure[]> {
  const { chain } = place;
  const ofEnsv2 = sumOf(chain, () => true);
  const ofReservations =
    sumOf(chain, (event) => event.includes("labels") || event.endsWith("LabelReserved")) + reserved;
  const folder = await mkdtemp(join(tmpdir(), "bench-ensv2-"));
  try {
    const file = join(folder, "deployment.json");
    await writeFile(file, JSON.stringify(deploymentWithEnsv2(chain.blockOfEnsv2)));
    const env = { ENS_NETWORK: "custom", ENS_DEPLOYMENT: file };
    const without = { events: chain.logs - ofEnsv2 };
    const cold = await measureOne("namedex", "cold", place, { env });
    const runs: Measured[] = [];
    const others: Measured[] = [];
    for (let round = 0; round < rounds; round++) {
      runs.push(await measureOne("namedex", `with_${round}`, place, { env }));
      others.push(await measureOne("namedex", `without_${round}`, place, without));
    }
    const added = median(runs.map((run, round) => run.cpuSeconds - (others[round]?.cpuSeconds ?? 0)));
    const bytes = (runs[0]?.tableBytes ?? 0) - (others[0]?.tableBytes ?? 0);
    const figures: Omit<Figure, "bench">[] = [
      { name: "logs of ENSv2", value: ofEnsv2, unit: "logs" },
      { name: "of these, logs of reservations", value: ofReservations, unit: "logs" },
      { name: "migrated names", value: migrated, unit: "names" },
      { name: "Namedex with ENSv2, cold", value: speedOf(cold), unit: "events/s" },
      { name: "Namedex with ENSv2, warm", value: median(runs.map(speedOf)), unit: "events/s" },
      { name: "Namedex without, warm", value: median(others.map(speedOf)), unit: "events/s" },
      { name: "processor time per ENSv2 log", value: (added / ofEnsv2) * 1e6, unit: "microseconds" },
      {
        name: "processor time for reserving all mainnet names",
        unit: "s",
        value: (added / ofEnsv2) * LOGS_OF_ALL,
      },
      {
        name: "tables and indexes for it",
        unit: "GiB",
        value: ((bytes / ofEnsv2) * LOGS_OF_ALL) / GIB,
      },
      ...handlerFigures(runs.at(-1) ?? cold),
    ];
    return figures.map((figure) => ({ bench: "ensv2", ...figure }));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const sumOf = ({ counts }: ChainNode, isWanted: (event: string) => boolean): number =>
  Object.entries(counts)
    .filter(([event]) => event.startsWith("ensv2 ") && isWanted(event))
    .reduce((sum, [, count]) => sum + count, 0);

/** What the handlers of ENSv2 take. */
function handlerFigures({ metrics }: Measured): Omit<Figure, "bench">[] {
  const totals = metrics.by("ponder_indexing_function_duration_sum", "event");
  const counts = metrics.by("ponder_indexing_function_duration_count", "event");
  return [...totals]
    .filter(([event]) => event.startsWith("Ensv2") && (counts.get(event) ?? 0) > 100)
    .map(([event, total]) => ({
      name: `one ${event.replace(/\(.*/, "")}`,
      value: (total / (counts.get(event) ?? 1)) * 1_000,
      unit: "microseconds",
    }));
}
