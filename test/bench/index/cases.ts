import { execFile, execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Change } from "../../../engine/change.ts";
import { changes } from "../../../engine/changes/index.ts";
import { memoryForHeap, nodeFlags } from "../../../engine/nodeFlags.ts";
import { openFreshDatabase } from "../../devnet/postgres.ts";
import type { Figure } from "../report.ts";
import { GIB, median } from "./figures.ts";

/** What the program of a fast change in `cases/` measures, in this unit. */
type Case = { what: string; unit: "s" | "blocks" | "MiB" };

/** One for each fast change: what it is there for, and nothing else. */
export const cases: Readonly<Record<string, Case>> = {
  linearQueue: { what: "100,000 blocks through the queue", unit: "s" },
  blocksWithLogs: { what: "a range of 100,000 blocks, 100 with logs", unit: "s" },
  quickCache: { what: "1,500 blocks of 10 logs into the cache", unit: "s" },
  rowStore: { what: "120,000 events, each of which appends a row and changes another", unit: "s" },
  largeBlocks: { what: "a live block of 3,000 logs", unit: "s" },
  indexedBlocks: { what: "a restart without the cache at block 1,000,000", unit: "blocks" },
  backfillMemory: { what: "memory after a backfill of 2 million rows", unit: "MiB" },
  foundContracts: { what: "blocks fetched for 1,000 found resolvers and 1,000 strangers", unit: "blocks" },
  listedContracts: { what: "60,000 logs of a resolver that is listed and found", unit: "s" },
  overlap: { what: "4,000 blocks in batches, each of which appends 30 rows and changes 30", unit: "s" },
};

type Chosen = [name: string, Case][];

/** The cases that `--case` names: one, or all. @throws Error if there is none of a name */
export function chooseCases(name: string): Chosen {
  const all = Object.entries(cases);
  const chosen = all.filter(([one]) => name === "all" || one === name);
  if (chosen.length > 0) return chosen;
  throw new Error(`There is no case "${name}": take all, ${Object.keys(cases).join(", ")}`);
}

/** The program's last commit, in words. */
export const lastCommit = (): string =>
  execFileSync("git", ["log", "-1", "--format=%cs, “%s”"], { encoding: "utf8" }).trim();

/** Runs each case with all changes and without its own, in turn; the middle ratio of the rounds counts. */
export async function measureCases(
  chosen: Chosen,
  { postgresUrl, rounds }: { postgresUrl: string; rounds: number },
): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [name, { what, unit }] of chosen) {
    const lacking = changes.filter((change) => change.name !== name);
    const given: number[] = [];
    const lacked: number[] = [];
    for (let round = 0; round < rounds; round++) {
      given.push(await runCase(name, { changes, postgresUrl }));
      lacked.push(await runCase(name, { changes: lacking, postgresUrl }));
    }
    const ratio = median(lacked.map((value, round) => value / (given[round] ?? value)));
    figures.push({ bench: "cases", name: `${name}: ${what}`, value: median(given), unit });
    figures.push({ bench: "cases", name: `without ${name}`, value: median(lacked), unit, ratio });
  }
  return figures;
}

type Run = { changes: readonly Change[]; postgresUrl: string };

async function runCase(name: string, { changes, postgresUrl }: Run): Promise<number> {
  const program = fileURLToPath(new URL(`cases/${name}.ts`, import.meta.url));
  const database = await openFreshDatabase(postgresUrl, "bench_case");
  const { flags } = memoryForHeap(4 * GIB);
  const words = [...flags, ...nodeFlags(changes), program, database];
  return Number((await promisify(execFile)(process.execPath, words)).stdout);
}
