import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";
import { CommandError, readNumber } from "../commandLine/command.ts";
import type { Range } from "./logRanges.ts";

/** Names and records of one run by default: with a public node it takes less than a minute. */
const DEFAULT_SAMPLES = 1_000;
/** All samples are in memory at once, a few kilobytes each, and a node keeps the state of a block for some minutes. */
const MAX_SAMPLES = 100_000;
/** Ranges of blocks of one run by default. Each takes a few requests. */
const DEFAULT_RANGES = 50;
/** Names of one command line. */
const MAX_NAMES = 100;
/** Seeds that JSON and every shell give back as they are. */
const MAX_SEED = 2 ** 48 - 2;

export type VerifyOptions = {
  samples: number;
  seed: number;
  /** Compare with the contracts at this block; null for the newest indexed one. */
  at: number | null;
  /** Compare these names only. */
  names: string[];
  /** Node to ask in place of those of the settings. */
  url: string | null;
  isJson: boolean;
  /** Compare the cache of logs instead of the index. */
  isOfLogs: boolean;
  /** Blocks whose logs to fetch again. */
  refetch: Range | null;
  /** Chain whose names or logs are meant; null for the registry's. */
  chainId: number | null;
  /** File of published figures to compare the index's own sums with. */
  figures: string | null;
};

export const usage = `npm run verify -- [options]
  compares the index with the contracts at the newest indexed block. Exits with 0 if everything matches, 1 if
  anything differs, 2 if the comparison failed.
  --samples N     number of names and records; default: ${DEFAULT_SAMPLES}, maximum: ${MAX_SAMPLES}
  --seed N        selects the samples: the same seed and index give the same ones. Random by default
  --name NAME     compares only this name and its records; repeatable
  --chain ID      compares names of a layer 2 instead of the main chain
  --at BLOCK      compares at an earlier block (needs an archive node); skips what changed since
  --url URL       uses this node instead of LIVE_RPC_URL
  --json          prints the result as JSON

npm run verify -- --logs [options]
  fetches the logs of random past blocks again and compares them with the cache that indexes are built from.
  --samples N     number of block ranges; default: ${DEFAULT_RANGES}
  --chain ID      compares logs of a layer 2
  --seed, --url, --json as above

npm run verify -- --figures FILE
  compares sums of the index with published figures, as docs/figures.json has them. It asks no node

npm run verify -- --refetch FROM-TO [--chain ID]
  removes these blocks from the cache, so that the next index fetches them again. Stop the indexers first`;

const text = { type: "string" } as const;
const flag = { type: "boolean" } as const;

/** @throws CommandError */
export function readOptions(line: string[]): VerifyOptions {
  const { seed, at, chain, url, refetch, figures, name: names = [], ...values } = parse(line);
  if (names.length > MAX_NAMES) {
    throw new CommandError(`--name is given ${names.length} times; the maximum is ${MAX_NAMES}.`);
  }
  if (url !== undefined && !/^https?:$/.test(URL.parse(url)?.protocol ?? "")) {
    throw new CommandError("--url is not an http(s) URL.");
  }
  const { logs: isOfLogs = false, json: isJson = false } = values;
  if (isOfLogs && (names.length > 0 || at !== undefined)) {
    throw new CommandError("--name and --at do not apply to --logs.");
  }
  const usual = isOfLogs ? DEFAULT_RANGES : DEFAULT_SAMPLES;
  const { samples = String(usual) } = values;
  return {
    samples: readNumber("--samples", samples, { min: 1, max: MAX_SAMPLES }),
    seed: seed === undefined ? randomInt(1_000_000) : readNumber("--seed", seed, { min: 0, max: MAX_SEED }),
    at: at === undefined ? null : readBlock("--at", at),
    chainId: chain === undefined ? null : readBlock("--chain", chain),
    refetch: refetch === undefined ? null : readRange(refetch),
    figures: figures ?? null,
    names,
    url: url ?? null,
    isJson,
    isOfLogs,
  };
}

const readBlock = (what: string, word: string): number =>
  readNumber(what, word, { min: 0, max: Number.MAX_SAFE_INTEGER });

function readRange(words: string): Range {
  const [from = "", to = from, more] = words.split("-");
  const range = { from: readBlock("--refetch", from), to: readBlock("--refetch", to) };
  if (more === undefined && range.from <= range.to) return range;
  throw new CommandError(
    `--refetch is "${words}": expected the first and last block, such as 23000000-23000499.`,
  );
}

function parse(args: string[]) {
  try {
    const { values } = parseArgs({
      args,
      options: {
        samples: text,
        seed: text,
        at: text,
        url: text,
        chain: text,
        refetch: text,
        figures: text,
        name: { type: "string", multiple: true },
        json: flag,
        logs: flag,
      },
    });
    return values;
  } catch (error) {
    throw new CommandError(`${(error as Error).message}\n\n${usage}`);
  }
}
