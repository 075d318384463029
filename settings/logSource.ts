import { z } from "zod";
import type { Deployment } from "../abis/deployments.ts";
import { check, type Given } from "./check.ts";
import { text } from "./kinds.ts";
import { optional } from "./variable.ts";

const location = text(
  "the http(s) URL of a Portal's dataset without user and password, or the folder of an archive",
  z.string().refine((given) => {
    if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(given)) return true;
    const { protocol, username, password } = URL.parse(given) ?? {};
    return /^https?:$/.test(protocol ?? "") && username === "" && password === "";
  }),
);

export const logSourceVariables = {
  LOG_SOURCE: optional(location, {
    example: "https://portal.sqd.dev/datasets/ethereum-mainnet",
    unset: "`RPC_URL_<chain id>`",
    meaning:
      "Where the main chain's past logs come from: a [Portal](first-index.md#from-a-portal), or an [archive](first-index.md#from-an-archive) on disk. The node is asked for samples, and for what the source lacks. Changing it requires no new index.",
  }),
};

export const chainLogSource = optional(location, {
  example: "https://portal.sqd.dev/datasets/ethereum-mainnet",
  unset: "main chain: `LOG_SOURCE`; else `RPC_URL_<chain id>`",
  meaning: "The same for one chain: `LOG_SOURCE_8453` for Base.",
});

/** Where a chain's past logs come from, and the variable that says so. */
export type ChainLogSource = { variable: string; location: string };

/** The source of each chain, by chain id; chains without one are left out. */
export function readLogSources(
  { chainId: main, layer2 }: Deployment,
  given: Given,
): Record<number, ChainLogSource> {
  const sources: Record<number, ChainLogSource> = {};
  for (const { chainId } of [{ chainId: main }, ...layer2]) {
    const own = `LOG_SOURCE_${chainId}`;
    const names = chainId === main ? [own, "LOG_SOURCE"] : [own];
    for (const variable of names.toReversed()) {
      const location = check({ [variable]: chainLogSource }, given)[variable];
      if (location !== undefined) sources[chainId] = { variable, location };
    }
  }
  return sources;
}
