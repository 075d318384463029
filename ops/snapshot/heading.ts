import { readFile } from "node:fs/promises";
import type { Settings } from "../../settings/settings.ts";
import type { Manifest } from "./manifest.ts";
import { readBlockHash } from "./node.ts";
import type { Source } from "./source.ts";

/** The version of this program. */
export async function readVersion(): Promise<string> {
  const text = await readFile(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}

/** Where the index is on each chain, with the hash of its block. @throws CommandError if no node has it */
export const readChains = (
  { points }: Pick<Source, "points">,
  { rpcUrls }: Pick<Settings, "rpcUrls">,
): Promise<Manifest["chains"]> =>
  Promise.all(
    points.map(async ({ chainId, chainName, blockNumber, blockTimestamp, checkpoint }) => ({
      chain_id: chainId,
      chain_name: chainName,
      block_number: blockNumber,
      checkpoint,
      block_hash: await readBlockHash({ chainId, chainName, urls: rpcUrls[chainId] ?? [] }, blockNumber),
      block_timestamp: blockTimestamp,
    })),
  );
