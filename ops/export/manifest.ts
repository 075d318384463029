import { open } from "node:fs/promises";
import { z } from "zod";
import { CommandError } from "../commandLine/command.ts";
import { onOneLine } from "../commandLine/foreignText.ts";
import { fileFormats, fileTypes } from "./columns.ts";

/** The file that says what an export has. It is written last: a folder without it holds no complete export. */
export const MANIFEST_FILE = "manifest.json";

/** An export of a hundred million events has some 300 files of 400 bytes each. */
export const MAX_MANIFEST_BYTES = 16 * 2 ** 20;

const FORMAT = 1;

/** Faults of a manifest that are shown. */
const SHOWN_FAULTS = 10;

const count = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);
const name = z.string().regex(/^[a-z_][a-z0-9_]{0,62}$/);
const hash = z.string().regex(/^0x[0-9a-f]{64}$/);

/** A text that programs print. Ours have no other characters. */
const plain = (most: number) =>
  z
    .string()
    .max(most)
    .regex(/^[ -~]*$/, "expected plain letters and digits");

/** A file of rows below the folder, as `events/1-0009380410-0018734521.parquet`. No such name leads elsewhere. */
export const FILE_NAME = /^[a-z_][a-z0-9_]{0,62}\/[a-z0-9-]{1,60}\.(parquet|csv\.gz|ndjson\.gz)$/;

const file = z.strictObject({
  file: z.string().regex(FILE_NAME),
  /** For a log table: the chain, and the first and last block whose rows are all in the file. Otherwise null. */
  chain_id: count.nullable(),
  first_block: count.nullable(),
  last_block: count.nullable(),
  rows: count,
  bytes: count,
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  /** A number that follows from all values of all rows. */
  fingerprint: z.string().regex(/^\d{1,38}$/),
});

const table = z.strictObject({
  name,
  kind: z.enum(["log", "state"]),
  columns: z
    .array(z.strictObject({ name, type: z.enum(fileTypes) }))
    .min(1)
    .max(200),
  sorted_by: z.array(name).max(20),
  rows: count,
  files: z.array(file).max(20_000),
});

const chain = z.strictObject({
  chain_id: count,
  chain_name: plain(100),
  block_number: count,
  block_hash: hash,
  block_timestamp: count,
});

const manifest = z.strictObject({
  namedex: z.literal("export"),
  format: z.literal(FORMAT),
  created_at: z.iso.datetime(),
  network: plain(100),
  build_id: plain(64),
  versions: z.strictObject({ namedex: plain(50), postgresql: plain(50) }),
  file_format: z.enum(fileFormats),
  /** All tables are as they are after these blocks. */
  chains: z.array(chain).min(1).max(100),
  /**
   * The position of the older export that this one continues: log tables begin after it. Null: they begin at the first
   * log.
   */
  since: z.array(chain).min(1).max(100).nullable(),
  tables: z.array(table).min(1).max(500),
});

export type Manifest = z.infer<typeof manifest>;
export type ExportTable = Manifest["tables"][number];
export type ExportFile = ExportTable["files"][number];
export type Position = Manifest["chains"];

/** What is known of an export before its files are written. */
export type Heading = Omit<Manifest, "namedex" | "format" | "created_at" | "tables">;

export const toManifest = (heading: Heading, tables: ExportTable[]): Manifest => ({
  namedex: "export",
  format: FORMAT,
  created_at: new Date().toISOString(),
  ...heading,
  tables,
});

/**
 * Reads a manifest from an untrusted source.
 *
 * @param path the file itself
 * @throws CommandError if there is none, or this version cannot read it
 */
export async function readManifest(path: string): Promise<Manifest> {
  const content = parse(await readText(path), path);
  if ((content as { namedex?: unknown }).namedex !== "export") {
    throw new CommandError(`${path} is not the manifest of a Namedex export.`);
  }
  const { format } = content as { format?: unknown };
  if (typeof format === "number" && format > FORMAT) {
    throw new CommandError(
      `${path} has format ${format}, but this version of Namedex reads ${FORMAT}: use the version that wrote it, or a later one.`,
    );
  }
  const read = manifest.safeParse(content);
  if (read.success) return requireNoRepeats(read.data, path);
  const wrong = read.error.issues
    .slice(0, SHOWN_FAULTS)
    .map(({ path: at, message }) => onOneLine(`${at.join(".")}: ${message}`));
  throw new CommandError([`${path} is damaged; download it again:`, ...wrong].join("\n  "));
}

async function readText(path: string): Promise<string> {
  const opened = await open(path).catch((error: NodeJS.ErrnoException) => {
    const reason = error.code === "ENOENT" ? "no such file" : error.message;
    throw new CommandError(
      `Cannot read ${path}: ${reason}. If an export was interrupted, run the same command again to resume it.`,
    );
  });
  try {
    const { size } = await opened.stat();
    if (size <= MAX_MANIFEST_BYTES) return await opened.readFile("utf8");
    throw new CommandError(`${path} has ${size} bytes; a manifest has at most ${MAX_MANIFEST_BYTES}.`);
  } finally {
    await opened.close();
  }
}

function parse(text: string, path: string): object {
  try {
    return Object(JSON.parse(text));
  } catch {
    throw new CommandError(`${path} is damaged: it is not JSON. Download it again.`);
  }
}

function requireNoRepeats(read: Manifest, path: string): Manifest {
  const files = read.tables.flatMap(({ files: own }) => own.map(({ file: one }) => one));
  const tables = read.tables.map((one) => one.name);
  const hasRepeat = new Set(files).size < files.length || new Set(tables).size < tables.length;
  if (!hasRepeat) return read;
  throw new CommandError(`${path} is damaged: it lists a table or a file twice. Download it again.`);
}
