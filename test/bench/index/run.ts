import { parseArgs } from "node:util";
import { openFreshDatabase, startTemporaryPostgres } from "../../devnet/postgres.ts";
import { type Figure, judge, report, reportOptions } from "../report.ts";
import { measureBase } from "./base.ts";
import { measureChanges } from "./changes.ts";
import { measureEnsv2 } from "./ensv2.ts";
import { figuresOf } from "./figures.ts";
import { measureGrowth } from "./growth.ts";
import { startChainNode } from "./node.ts";
import { measure } from "./rounds.ts";

// `npm run bench:index -- [--names N] [--rounds N] [--growth N] [--profile DIR] [--json FILE] [--docs FILE]`: the speed
// of the indexer and of two minimal indexers, on a generated chain with mainnet's contracts. `--base N` measures instead
// the indexer with N names of Base and hardly any of mainnet. `--ensv2 N [--migrated N]` measures the indexer with ENSv2, in
// which N of the .eth names are reserved, and some of them migrated.
// `--growth` indexes a smaller chain too, to see what an event costs as the index grows. `--profile` indexes once more
// and writes a profile of the processor's time, for Chromium's developer tools. `--changes` measures instead what each of
// our changes to Ponder brings.

const option = { type: "string" } as const;
const { values } = parseArgs({
  options: {
    ...{ ...reportOptions, rounds: option, growth: option, profile: option },
    changes: { type: "boolean", default: false },
    ...{ base: option, ensv2: option, migrated: option },
  },
});
/** Mainnet beside Base has what Ponder needs to start with. */
const names = Number(values.names ?? (values.base === undefined ? 100_000 : 20));
const rounds = Number(values.rounds ?? 3);
const inGib = (bytes: number) => `${(bytes / 2 ** 30).toFixed(2)} GiB`;
const english = (value: number) => value.toLocaleString("en");

// What a commit costs shows only where PostgreSQL waits for the disk.
const postgres = await (values.changes ? startTemporaryPostgres([]) : startTemporaryPostgres());
const cutover = { reserved: Number(values.ensv2 ?? 0), migrated: Number(values.migrated ?? 0) };
const chain = await startChainNode(names, "mainnet", cutover);
try {
  const chainInWords = `${english(names)} .eth names, ${english(chain.logs)} logs in ${english(chain.blocks)} blocks`;
  console.log(chainInWords);
  const { bytes, peakBytes } = chain.memory();
  console.log(
    `The chain's node has ${inGib(bytes)}; while it generated them it had up to ${inGib(peakBytes)}`,
  );
  const databaseUrl = await openFreshDatabase(postgres.url, "bench");
  const figures = values.changes
    ? await measureChanges({ databaseUrl, chain }, rounds)
    : values.base !== undefined
      ? await measureBase({ names: Number(values.base), rounds }, { databaseUrl, chain })
      : values.ensv2 !== undefined
        ? await measureEnsv2({ ...cutover, rounds }, { databaseUrl, chain })
        : await measureIndexer(databaseUrl);
  const made = `${chainInWords}; ${rounds} rounds in turn, of which the middle one counts`;
  report(figures.map(judge), { json: values.json, docs: values.docs, made });
} finally {
  chain.stop();
  await postgres.stop();
}

async function measureIndexer(databaseUrl: string): Promise<Figure[]> {
  const served = await chain.readSpeed();
  const measured = await measure({ databaseUrl, chain, rounds, profile: values.profile });
  const figures = figuresOf(measured);
  figures.push({ bench: "index", name: "the chain's node by itself", value: served, unit: "logs/s" });
  if (values.growth) {
    const sizes = { small: Number(values.growth), names, rounds };
    figures.push(await measureGrowth(sizes, { postgres, large: measured.warm.namedex }));
  }
  return figures;
}
