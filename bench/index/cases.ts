import { execFile, execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { openFreshDatabase } from "../../devnet/postgres.ts";
import { memoryForHeap } from "../../engine/memory.ts";
import { envWithout } from "../../test/engine/ponders.ts";
import type { Figure } from "../report.ts";
import { GIB, median } from "./figures.ts";

/** What the program of a patch in `cases/` measures, in this unit. */
type Case = { what: string; unit: "s" | "blocks" | "requests" };

/** One for each patch that is there for speed: what it is there for, and nothing else. */
export const cases: Readonly<Record<string, Case>> = {
  logSync: { what: "requests for the logs of 100,000 blocks", unit: "requests" },
  rowStore: { what: "120,000 events, each of which appends a row and changes another", unit: "s" },
  largeBlocks: { what: "a live block of 3,000 logs", unit: "s" },
  indexedBlocks: { what: "a restart without the cache at block 1,000,000", unit: "blocks" },
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

/** Runs each case with all patches and without its own, in turn; the middle ratio of the rounds counts. */
export async function measureCases(
  chosen: Chosen,
  { postgresUrl, rounds }: { postgresUrl: string; rounds: number },
): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [name, { what, unit }] of chosen) {
    const lacking = envWithout(name);
    const given: number[] = [];
    const lacked: number[] = [];
    for (let round = 0; round < rounds; round++) {
      given.push(await runCase(name, { env: {}, postgresUrl }));
      lacked.push(await runCase(name, { env: lacking, postgresUrl }));
    }
    const ratio = median(lacked.map((value, round) => value / (given[round] ?? value)));
    figures.push({ bench: "cases", name: `${name}: ${what}`, value: median(given), unit });
    figures.push({ bench: "cases", name: `without ${name}`, value: median(lacked), unit, ratio });
  }
  return figures;
}

type Run = { env: Record<string, string>; postgresUrl: string };

async function runCase(name: string, { env, postgresUrl }: Run): Promise<number> {
  const program = fileURLToPath(new URL(`cases/${name}.ts`, import.meta.url));
  const database = await openFreshDatabase(postgresUrl, "bench_case");
  const { flags } = memoryForHeap(4 * GIB);
  const options = { env: { ...process.env, ...env } };
  return Number((await promisify(execFile)(process.execPath, [...flags, program, database], options)).stdout);
}
