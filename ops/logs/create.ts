import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { findCachedEnds, hasCache, listFragments } from "../../engine/cachedLogs.ts";
import { CACHE_SCHEMA } from "../../engine/cacheSchema.ts";
import {
  type ArchiveFile,
  type ArchiveTable,
  archiveTables,
  FORMAT,
  MANIFEST_FILE,
  type Manifest,
  measureFile,
  PART_BLOCKS,
  readManifest,
} from "../../engine/sources/archiveManifest.ts";
import { queriesOf, withClient } from "../../src/api/server/postgres/client.ts";
import { CommandError } from "../commandLine/command.ts";
import { type Screen, startProgress } from "../commandLine/progress.ts";
import { type DuckDb, literal, withDuckDb } from "../export/duckDb.ts";
import { readStaged } from "../export/formats.ts";
import { stageRows } from "../export/stage.ts";
import { openFolder, syncPath, writeThrough } from "../files/durable.ts";
import { readVersion } from "../snapshot/heading.ts";

// While an archive is written, `unfinished.json` stands in place of its manifest, with the parts that are complete.

const UNFINISHED_FILE = "unfinished.json";
const STAGING_FOLDER = "staging";

type Plan = { folder: string; chainId: number; databaseUrl: string; screen: Screen };

/**
 * Writes what the cache has of a chain, or goes on with what an interrupted run wrote.
 *
 * @throws CommandError if there is nothing to write, or the folder has something else
 */
export async function createArchive({ folder, chainId, databaseUrl, screen }: Plan): Promise<Manifest> {
  const names = await openFolder(folder);
  if (names.includes(MANIFEST_FILE))
    throw new CommandError(`${folder} already has an archive: use a new folder.`);
  const isResumed = names.includes(UNFINISHED_FILE);
  const [foreign] = names;
  if (foreign !== undefined && !isResumed)
    throw new CommandError(`${folder} has other files (${foreign}): use a new or empty folder.`);
  return withClient({ connectionString: databaseUrl, application_name: "namedex_logs" }, async (client) => {
    const manifest = isResumed
      ? (await readManifest(folder, UNFINISHED_FILE)).manifest
      : await begin(client, chainId);
    if (manifest.chain_id !== chainId) {
      throw new CommandError(
        `${folder} has an unfinished archive of chain ${manifest.chain_id}: use another folder, or --chain ${manifest.chain_id}.`,
      );
    }
    await note(folder, UNFINISHED_FILE, manifest);
    await rm(join(folder, STAGING_FOLDER), { recursive: true, force: true });
    for (const name of [...archiveTables, STAGING_FOLDER])
      await mkdir(join(folder, name), { recursive: true });
    await withDuckDb(join(folder, STAGING_FOLDER), (duckDb) =>
      writeParts({ client, duckDb, folder, screen }, manifest),
    );
    await rm(join(folder, STAGING_FOLDER), { recursive: true, force: true });
    await requireStillCached(client, folder, manifest);
    await note(folder, MANIFEST_FILE, manifest);
    await rm(join(folder, UNFINISHED_FILE));
    await syncPath(folder);
    return manifest;
  });
}

/** The cache loses blocks if their source turns out false, or by `npm run verify -- --refetch`. */
async function requireStillCached(
  client: pg.ClientBase,
  folder: string,
  { chain_id: chainId, filters, last }: Manifest,
): Promise<void> {
  const cached = await listFragments(queriesOf(client).query, { chainId, to: last.number });
  const isCached = (name: string, [from, to]: [number, number]) =>
    cached[name]?.some((range) => range[0] <= from && to <= range[1]) ?? false;
  const isWhole = Object.entries(filters).every(([name, ranges]) =>
    ranges.every((range) => isCached(name, range)),
  );
  if (isWhole) return;
  throw new CommandError(
    `The cache lost blocks while ${folder} was written: remove the folder and export again.`,
  );
}

/** What the archive will have. The cache is of final blocks. */
async function begin(client: pg.ClientBase, chainId: number): Promise<Manifest> {
  const { query } = queriesOf(client);
  const ends = (await hasCache(query)) ? await findCachedEnds(query, chainId) : null;
  if (ends === null)
    throw new CommandError(
      `The cache has no logs of chain ${chainId}: index it first. Logs of a development chain are not cached.`,
    );
  const filters = await listFragments(query, { chainId, to: ends.last.number });
  return {
    namedex: "logs",
    format: FORMAT,
    created_at: new Date().toISOString(),
    version: await readVersion(),
    chain_id: chainId,
    first: ends.first as Manifest["first"],
    last: ends.last as Manifest["last"],
    filters,
    parts: [],
  };
}

type Target = { client: pg.Client; duckDb: DuckDb; folder: string; screen: Screen };

async function writeParts(target: Target, manifest: Manifest): Promise<void> {
  const { first, last, parts } = manifest;
  const begins = parts.at(-1)?.last_block ?? Math.floor(first.number / PART_BLOCKS) * PART_BLOCKS - 1;
  const inBlocks = (count: number) => `${Math.round(count).toLocaleString("en")} blocks`;
  const whole = last.number - begins;
  const progress = startProgress(target.screen, { title: "Writing", whole, show: inBlocks });
  for (let from = begins + 1; from <= last.number; from += PART_BLOCKS) {
    const to = Math.min(from + PART_BLOCKS - 1, last.number);
    const part = { first_block: from, last_block: to };
    const files = {} as Record<ArchiveTable, ArchiveFile>;
    for (const table of archiveTables)
      files[table] = await writeTable(target, table, { chainId: manifest.chain_id, from, to });
    parts.push({ ...part, ...files });
    await note(target.folder, UNFINISHED_FILE, manifest);
    progress.add(to - from + 1);
  }
  progress.end();
}

type Blocks = { chainId: number; from: number; to: number };

/** Bytes stand as text in the cache; a column that is null stays null. */
const tables: Record<
  ArchiveTable,
  {
    columns: [name: string, type: "INTEGER" | "BIGINT" | "VARCHAR" | "bytes"][];
    select: (blocks: Blocks) => string;
  }
> = {
  logs: {
    columns: [
      ["block_number", "INTEGER"],
      ["transaction_index", "INTEGER"],
      ["log_index", "INTEGER"],
      ["address", "bytes"],
      ["topic0", "bytes"],
      ["topic1", "bytes"],
      ["topic2", "bytes"],
      ["topic3", "bytes"],
      ["data", "bytes"],
    ],
    select: (blocks) =>
      `select block_number, transaction_index, log_index, address, topic0, topic1, topic2, topic3, data
       from ${CACHE_SCHEMA}.logs where ${ofBlocks(blocks)} order by block_number, log_index`,
  },
  transactions: {
    columns: [
      ["block_number", "INTEGER"],
      ["transaction_index", "INTEGER"],
      ["hash", "bytes"],
      ["from", "bytes"],
      ["to", "bytes"],
      ["input", "bytes"],
      ["value", "VARCHAR"],
    ],
    select: (blocks) =>
      `select l.block_number, l.transaction_index, l.transaction_hash, t."from", t."to", t.input, t.value
       from (select distinct block_number, transaction_index, transaction_hash from ${CACHE_SCHEMA}.logs where ${ofBlocks(blocks)}) l
       left join ${CACHE_SCHEMA}.transactions t
         on t.chain_id = ${blocks.chainId} and t.block_number = l.block_number and t.transaction_index = l.transaction_index
       order by 1, 2`,
  },
  blocks: {
    columns: [
      ["number", "INTEGER"],
      ["hash", "bytes"],
      ["timestamp", "BIGINT"],
    ],
    select: ({ chainId, from, to }) =>
      `select number, hash, "timestamp" from ${CACHE_SCHEMA}.blocks where chain_id = ${chainId} and number between ${from} and ${to} order by 1`,
  },
};

const ofBlocks = ({ chainId, from, to }: Blocks): string =>
  `chain_id = ${chainId} and block_number between ${from} and ${to}`;

async function writeTable(
  { client, duckDb, folder }: Target,
  table: ArchiveTable,
  blocks: Blocks,
): Promise<ArchiveFile> {
  const { columns, select } = tables[table];
  const staged = join(folder, STAGING_FOLDER, `${table}.csv.gz`);
  const written = join(folder, STAGING_FOLDER, `${table}.parquet`);
  const file = `${table}/${String(blocks.from).padStart(10, "0")}.parquet`;
  const rows = await stageRows(client, { select: select(blocks), file: staged, priority: "normal" });
  const typed = columns.map(([name, type]) => ({
    name,
    type: type === "bytes" ? ("VARCHAR" as const) : type,
  }));
  const values = columns.map(([name, type]) => {
    const column = pg.escapeIdentifier(name);
    return type === "bytes" ? `unhex(substr(${column}, 3)) as ${column}` : column;
  });
  await duckDb.run(
    `copy (select ${values.join(", ")} from ${readStaged([staged], typed)}) to ${literal(written)} (format parquet, compression zstd)`,
  );
  await syncPath(written);
  await rename(written, join(folder, file));
  await rm(staged);
  const measured = await measureFile(join(folder, file));
  return { file, rows, bytes: measured.bytes, sha256: measured.sha256 };
}

async function note(folder: string, name: string, manifest: Manifest): Promise<void> {
  await writeThrough(join(folder, `${name}.new`), `${JSON.stringify(manifest, null, 1)}\n`);
  await rename(join(folder, `${name}.new`), join(folder, name));
}
