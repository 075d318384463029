import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";
import { CommandError, readNumber } from "../commandLine/command.ts";

/** Names and records of one run unless told: with a public node it takes less than a minute. */
const DEFAULT_SAMPLES = 1_000;
/** All samples are in memory at once, a few kilobytes each, and a node keeps the state of a block for some minutes. */
export const MAX_SAMPLES = 100_000;
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
};

export const usage = `npm run verify -- [options]
  compares the index with what the contracts answer at the newest indexed block. Ends with 0 if all is equal, with 1 if
  anything differs, with 2 if it could not be found out.
  --samples N     how many names and records; ${DEFAULT_SAMPLES} unless told, at most ${MAX_SAMPLES}
  --seed N        which ones: the same seed takes the same ones of the same index. Random unless told
  --name NAME     only this name and its records; may be repeated
  --at BLOCK      at an earlier block (needs an archive node); what changed since then is not compared
  --url URL       ask this node in place of LIVE_RPC_URL
  --json          the result as JSON on standard output`;

const text = { type: "string" } as const;

/** @throws CommandError */
export function readOptions(line: string[]): VerifyOptions {
  const { samples, seed, at, name: names = [], url, json } = parse(line);
  if (names.length > MAX_NAMES)
    throw new CommandError(`--name is given ${names.length} times: at most ${MAX_NAMES}.`);
  if (url !== undefined && !/^https?:$/.test(URL.parse(url)?.protocol ?? "")) {
    throw new CommandError("--url is no http(s) URL.");
  }
  return {
    samples:
      samples === undefined
        ? DEFAULT_SAMPLES
        : readNumber("--samples", samples, { min: 1, max: MAX_SAMPLES }),
    seed: seed === undefined ? randomInt(1_000_000) : readNumber("--seed", seed, { min: 0, max: MAX_SEED }),
    at: at === undefined ? null : readNumber("--at", at, { min: 0, max: Number.MAX_SAFE_INTEGER }),
    ...{ names, url: url ?? null, isJson: json ?? false },
  };
}

function parse(args: string[]) {
  try {
    const { values } = parseArgs({
      args,
      options: {
        ...{ samples: text, seed: text, at: text, url: text },
        name: { type: "string", multiple: true },
        json: { type: "boolean" },
      },
    });
    return values;
  } catch (error) {
    throw new CommandError(`${(error as Error).message}\n\n${usage}`);
  }
}
