import { stat } from "node:fs/promises";
import { join } from "node:path";
import { measureFile } from "../../engine/sources/archiveManifest.ts";
import type { Settings } from "../../settings/settings.ts";
import { CommandError } from "../commandLine/command.ts";
import { onOneLine } from "../commandLine/foreignText.ts";
import { readBlockHash } from "../snapshot/node.ts";
import type { ExportFile, Heading, Manifest, Position } from "./manifest.ts";

// What an export may go on from. Blocks of an export are final, so rows of a log table up to its position stay as they are;
// a table of state is what it is at one position only.

/**
 * Checks that an export which was interrupted is the one that is asked for again.
 *
 * @throws CommandError that says what differs
 */
export function requireSameRun(
  begun: Manifest,
  { heading, tables }: { heading: Heading; tables: readonly string[] },
): void {
  const nameOf = (one: Pick<Manifest, "file_format">, names: readonly string[]) =>
    `${one.file_format} of ${names.join(", ")}`;
  const there = nameOf(
    begun,
    begun.tables.map(({ name }) => name),
  );
  const here = nameOf(heading, tables);
  const isSame =
    there === here &&
    begun.build_id === heading.build_id &&
    begun.network === heading.network &&
    JSON.stringify(begun.since) === JSON.stringify(heading.since);
  if (isSame) return;
  throw new CommandError(
    `This folder has a different interrupted export (${there}; build ${begun.build_id} of ${begun.network}; since ${describe(begun.since)}): resume that one, or use a new folder. Requested: ${here}; build ${heading.build_id} of ${heading.network}; since ${describe(heading.since)}.`,
  );
}

const describe = (position: Position | null): string =>
  position === null
    ? "the first block"
    : position.map(({ chain_name, block_number }) => `block ${block_number} of ${chain_name}`).join(", ");

const isAtSamePosition = (begun: Position, now: Position): boolean =>
  JSON.stringify(begun) === JSON.stringify(now);

/**
 * Files of an interrupted export that the next one need not write again. Each is read, because a power cut can damage it.
 *
 * @returns them by table; a table of state is there only if the position is still the same
 */
export async function stillValid(
  folder: string,
  begun: Manifest,
  { chains }: Heading,
): Promise<Map<string, ExportFile[]>> {
  const isSame = isAtSamePosition(begun.chains, chains);
  const valid = new Map<string, ExportFile[]>();
  for (const { name, kind, files } of begun.tables) {
    if (files.length === 0 || (kind === "state" && !isSame)) continue;
    const whole = await takeWhole(folder, kind === "log" ? withRows(files) : files);
    if (kind === "log" || whole.length === files.length) valid.set(name, whole);
  }
  return valid;
}

const withRows = (files: readonly ExportFile[]): ExportFile[] => files.filter(({ rows }) => rows > 0);

/** Files up to the first one of each chain that is damaged: what follows it is written again. */
async function takeWhole(folder: string, files: readonly ExportFile[]): Promise<ExportFile[]> {
  const whole: ExportFile[] = [];
  const broken = new Set<number | null>();
  for (const file of files) {
    if (broken.has(file.chain_id)) continue;
    if (await isWhole(folder, file)) whole.push(file);
    else broken.add(file.chain_id);
  }
  return whole;
}

async function isWhole(folder: string, { file, bytes, sha256 }: ExportFile): Promise<boolean> {
  const path = join(folder, file);
  const found = await stat(path).catch(() => null);
  return found?.size === bytes && (await measureFile(path)).sha256 === sha256;
}

/**
 * Checks that an older export comes from this index, so that its log tables can be continued.
 *
 * @throws CommandError that says what differs
 */
export async function requireWritableOn(
  older: Manifest,
  { heading, rpcUrls }: { heading: Heading } & Pick<Settings, "rpcUrls">,
): Promise<void> {
  if (older.network !== heading.network) {
    throw new CommandError(
      `--since: the older export is from ${older.network}, but ENS_NETWORK is ${heading.network}.`,
    );
  }
  if (older.build_id !== heading.build_id) {
    throw new CommandError(
      `--since: the older export is from build ${older.build_id}, this index from ${heading.build_id}, which may write different rows for the same logs. Export without --since.`,
    );
  }
  const idsOf = (position: Position) => position.map(({ chain_id }) => chain_id).join(", ");
  if (idsOf(older.chains) !== idsOf(heading.chains)) {
    throw new CommandError(
      `--since: the older export covers chains ${idsOf(older.chains)}, this index ${idsOf(heading.chains)}. Export without --since.`,
    );
  }
  for (const chain of older.chains) await requireBlock(chain, { heading, rpcUrls });
}

async function requireBlock(
  { chain_id, chain_name, block_number, block_hash }: Position[number],
  { heading, rpcUrls }: { heading: Heading } & Pick<Settings, "rpcUrls">,
): Promise<void> {
  const now = heading.chains.find((chain) => chain.chain_id === chain_id)?.block_number ?? -1;
  if (now < block_number) {
    throw new CommandError(
      `--since: the older export is at block ${block_number} of ${chain_name}, but the index has only reached ${now}. Wait until it gets there.`,
    );
  }
  const nodes = { chainId: chain_id, chainName: chain_name, urls: rpcUrls[chain_id] ?? [] };
  const hash = await readBlockHash(nodes, block_number);
  if (hash === block_hash) return;
  throw new CommandError(
    `--since: block ${block_number} of ${chain_name} is ${block_hash} in the older export but ${onOneLine(hash)} at your node: it is from another chain.`,
  );
}
