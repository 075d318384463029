import { open } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { CommandError } from "../commandLine/command.ts";
import { onOneLine } from "../commandLine/foreignText.ts";

/** The file that says what a snapshot has. It is written last: a folder without it holds no snapshot. */
export const MANIFEST_FILE = "manifest.json";

/** A manifest of a snapshot of mainnet has some 1,500 parts of 300 bytes each. */
export const MAX_MANIFEST_BYTES = 16 * 2 ** 20;

/** Text that a part holds before the next one begins: small enough to be tried again, large enough to be read in one go. */
export const PART_BYTES = 64 * 2 ** 20;

/** PostgreSQL cannot send a row of more than 1 GiB, and a part ends with the row that fills it. */
export const MAX_PART_BYTES = PART_BYTES + 2 ** 30;

const FORMAT = 1;

/** Faults of a manifest that are shown. */
const SHOWN_FAULTS = 10;

const count = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const name = z.string().regex(/^[a-z_][a-z0-9_]{0,62}$/);

/** A text that programs print. Ours have no other characters. */
const plain = (most: number) =>
  z
    .string()
    .max(most)
    .regex(/^[ -~]*$/, "expected plain letters and digits");

const part = z.strictObject({
  /** No folders: a snapshot cannot name files outside its folder. */
  file: z.string().regex(/^[a-z_][a-z0-9_.]{0,62}-\d{6}\.zst$/),
  /** Whether it belongs to the index or to the cache of past events. */
  of: z.enum(["index", "cache"]),
  table: name,
  rows: count,
  /** Size of the file. */
  bytes: count,
  /** Size of its text before it was compressed. */
  text_bytes: count.max(MAX_PART_BYTES),
  sha256,
});

const chain = z.strictObject({
  chain_id: count,
  chain_name: plain(100),
  block_number: count,
  block_hash: z.string().regex(/^0x[0-9a-f]{64}$/),
  block_timestamp: count,
  checkpoint: z.string().regex(/^\d{75}$/),
});

const manifest = z.strictObject({
  namedex: z.literal("snapshot"),
  format: z.literal(FORMAT),
  created_at: z.iso.datetime(),
  network: plain(100),
  build_id: z.string().regex(/^[0-9a-f]{10}$/),
  versions: z.strictObject({
    namedex: plain(50),
    ponder: plain(50),
    postgresql: plain(50),
  }),
  chains: z.array(chain).min(1).max(100),
  /** Large indexes that were complete. Their definitions are those of the program that restores. */
  indexes: z.array(name).max(1_000),
  has_cache: z.boolean(),
  parts: z.array(part).max(100_000),
});

export type Manifest = z.infer<typeof manifest>;
export type Part = Manifest["parts"][number];

/** What is known of a new snapshot before its parts are written. */
export type Heading = Omit<Manifest, "namedex" | "format" | "created_at" | "parts">;

export const toManifest = (heading: Heading, parts: Part[]): Manifest => ({
  namedex: "snapshot",
  format: FORMAT,
  created_at: new Date().toISOString(),
  ...heading,
  parts,
});

/**
 * Reads the manifest of a snapshot that anybody may have made.
 *
 * @throws CommandError if the folder has no snapshot, or one that this version cannot read
 */
export async function readManifest(folder: string): Promise<Manifest> {
  const text = await readText(folder);
  const content = parse(text);
  if ((content as { namedex?: unknown }).namedex !== "snapshot") {
    throw new CommandError(`${MANIFEST_FILE} in ${folder} is not from a Namedex snapshot.`);
  }
  const { format } = content as { format?: unknown };
  if (typeof format === "number" && format > FORMAT) {
    throw new CommandError(
      `The snapshot has format ${format}, but this version of Namedex reads ${FORMAT}: restore it with the version that wrote it, or a later one.`,
    );
  }
  const read = manifest.safeParse(content);
  if (read.success) return requireNoRepeats(read.data);
  const wrong = read.error.issues
    .slice(0, SHOWN_FAULTS)
    .map(({ path, message }) => onOneLine(`${path.join(".")}: ${message}`));
  throw new CommandError(
    [`${MANIFEST_FILE} is damaged; download the snapshot again:`, ...wrong].join("\n  "),
  );
}

async function readText(folder: string): Promise<string> {
  const file = await open(join(folder, MANIFEST_FILE)).catch((error: NodeJS.ErrnoException) => {
    const reason = error.code === "ENOENT" ? "it has no manifest.json" : error.message;
    throw new CommandError(
      `There is no complete snapshot in ${folder}: ${reason}. If \`create\` was interrupted, run it again.`,
    );
  });
  try {
    const { size } = await file.stat();
    if (size <= MAX_MANIFEST_BYTES) return await file.readFile("utf8");
    throw new CommandError(
      `${MANIFEST_FILE} has ${size} bytes; a manifest has at most ${MAX_MANIFEST_BYTES}.`,
    );
  } finally {
    await file.close();
  }
}

function parse(text: string): object {
  try {
    return Object(JSON.parse(text));
  } catch {
    throw new CommandError(`${MANIFEST_FILE} is damaged: it is not JSON. Download the snapshot again.`);
  }
}

function requireNoRepeats(read: Manifest): Manifest {
  const files = new Set(read.parts.map(({ file }) => file));
  if (files.size === read.parts.length) return read;
  throw new CommandError(`${MANIFEST_FILE} is damaged: it lists a part twice. Download the snapshot again.`);
}
