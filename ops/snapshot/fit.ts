import { cacheTables } from "../../engine/cache.ts";
import { CACHE_SCHEMA } from "../../engine/cacheSchema.ts";
import { type PonderBuild, readPonderBuild } from "../../engine/ponderBuild.ts";
import { PONDER_VERSION } from "../../engine/ponderModule.ts";
import { parseCheckpoint, type RestorePoint } from "../../engine/restorePoint.ts";
import type { Settings } from "../../settings/settings.ts";
import { CommandError } from "../commandLine/command.ts";
import { onOneLine } from "../commandLine/foreignText.ts";
import type { Manifest } from "./manifest.ts";
import { readBlockHash } from "./node.ts";

type FitSettings = Pick<Settings, "network" | "deployment" | "rpcUrls">;

/**
 * Checks that a snapshot has the chains that `npm start` would follow here.
 *
 * @returns where the index is on each chain
 * @throws CommandError that says what differs
 */
export async function requireChains(manifest: Manifest, settings: FitSettings): Promise<RestorePoint[]> {
  requireNetwork(manifest, settings);
  const points = manifest.chains.map(pointOf);
  await requireBlocks(manifest, settings);
  return points;
}

/**
 * Checks that a snapshot has the code and contracts that `npm start` would run here.
 *
 * @returns what to build for it
 * @throws CommandError that says what differs
 */
export async function requireBuild(manifest: Manifest, schema: string): Promise<PonderBuild> {
  const { versions, build_id } = manifest;
  if (versions.ponder !== PONDER_VERSION) {
    throw new CommandError(
      `The snapshot was written with Ponder ${versions.ponder}, but this Namedex uses ${PONDER_VERSION}: use the Namedex version that wrote it (${versions.namedex}).`,
    );
  }
  const build = await readPonderBuild(schema);
  if (build.buildId !== build_id) {
    throw new CommandError(
      `The snapshot is from build ${build_id}, but this program with these settings is ${build.buildId} and would reject the tables. Use the version that wrote the snapshot (Namedex ${versions.namedex}), the same deployment file, the same ARCHIVE_READS, and RPC URLs for the same layer 2s.`,
    );
  }
  requireTables(manifest, build);
  return build;
}

function requireNetwork(
  { network, chains }: Manifest,
  { network: here, deployment }: Pick<Settings, "network" | "deployment">,
): void {
  if (network !== here) {
    throw new CommandError(
      `The snapshot is from ${network}, but ENS_NETWORK is ${here}: set it to ${network}.`,
    );
  }
  const own = [deployment, ...deployment.layer2].map(({ name, chainId }) => `${name} (${chainId})`).sort();
  const theirs = chains.map((chain) => `${chain.chain_name} (${chain.chain_id})`).sort();
  if (own.join() !== theirs.join()) {
    throw new CommandError(
      `The snapshot has chains ${theirs.join(", ")}, but the settings have ${own.join(", ")}: set RPC_URL_<chain id> for exactly the snapshot's chains.`,
    );
  }
}

/** Names of tables go into SQL: only those of our own code do. */
function requireTables({ parts, has_cache }: Manifest, { tables }: PonderBuild): void {
  const known = { index: tables, cache: has_cache ? cacheTables : [] };
  const strange = parts.find(({ of, table }) => !known[of].includes(table));
  if (strange === undefined) return;
  const where = strange.of === "index" ? "the index" : CACHE_SCHEMA;
  throw new CommandError(`The snapshot is damaged: ${where} has no table "${strange.table}".`);
}

function pointOf(chain: Manifest["chains"][number]): RestorePoint {
  const { chain_id, chain_name, checkpoint, block_number, block_timestamp } = chain;
  const read = parseCheckpoint(checkpoint);
  const isSame =
    read?.chainId === chain_id &&
    read.blockNumber === block_number &&
    read.blockTimestamp === block_timestamp;
  if (isSame) return { chainName: chain_name, checkpoint, ...read };
  throw new CommandError(
    `The snapshot is damaged: its block of ${chain_name} does not match its checkpoint.`,
  );
}

/** A chain of the same number can be another one: each developer's is. */
async function requireBlocks({ chains }: Manifest, { rpcUrls }: Pick<Settings, "rpcUrls">): Promise<void> {
  for (const { chain_id, chain_name, block_number, block_hash } of chains) {
    const urls = rpcUrls[chain_id] ?? [];
    const hash = await readBlockHash({ chainId: chain_id, chainName: chain_name, urls }, block_number);
    if (hash === block_hash) continue;
    throw new CommandError(
      `Block ${block_number} of ${chain_name} is ${block_hash} in the snapshot but ${onOneLine(hash)} at your node: the snapshot is from another chain, or its block was reorganised away.`,
    );
  }
}
