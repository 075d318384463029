// The manifest of an archive of raw logs: the blocks and rows in its files, and the filters for which it is complete.

import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { MOST_INDEX, SourceError } from "./logSource.ts";

export const MANIFEST_FILE = "manifest.json";
export const FORMAT = 1;
/** Blocks of a part; each has a file of each table. */
export const PART_BLOCKS = 500_000;
export const archiveTables = ["logs", "transactions", "blocks"] as const;
export type ArchiveTable = (typeof archiveTables)[number];

/** Mainnet has 46 parts and some 200 filters: 100 kB. */
export const MAX_MANIFEST_BYTES = 16 * 2 ** 20;

const count = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);
const hash = z.templateLiteral(["0x", z.string()]).refine((text) => /^0x[0-9a-f]{64}$/.test(text));
const block = z.strictObject({ number: count, hash });
const file = z.strictObject({
  /** Below the folder; no such name leads elsewhere. */
  file: z.string().regex(/^(?:logs|transactions|blocks)\/\d{10}\.parquet$/),
  rows: count,
  bytes: count,
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});
const part = z.strictObject({
  first_block: count.max(MOST_INDEX),
  last_block: count.max(MOST_INDEX),
  logs: file,
  transactions: file,
  blocks: file,
});

const manifest = z.strictObject({
  namedex: z.literal("logs"),
  format: z.literal(FORMAT),
  created_at: z.iso.datetime(),
  version: z.string().max(50),
  chain_id: count,
  /** The first and the last block that have a log. */
  first: block,
  last: block,
  /** Ponder's names of parts of filters (runtime/fragments.js), with the first and last block of each range that is complete. */
  filters: z.record(z.string().max(1_000), z.array(z.tuple([count, count])).max(10_000)),
  parts: z.array(part).max(10_000),
});

export type Manifest = z.infer<typeof manifest>;
export type Part = z.infer<typeof part>;
export type ArchiveFile = z.infer<typeof file>;

/** @throws SourceError that says what is wrong with the folder */
export async function readManifest(
  folder: string,
  name = MANIFEST_FILE,
): Promise<{ manifest: Manifest; sha256: string }> {
  const path = join(folder, name);
  const { size } = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw new SourceError(
      error.code === "ENOENT"
        ? `${path} does not exist: the folder has no archive, or its export is not finished`
        : `${path} cannot be read (${error.code})`,
    );
  });
  if (size > MAX_MANIFEST_BYTES)
    throw new SourceError(`${path} has ${size} bytes, and may have ${MAX_MANIFEST_BYTES}`);
  const text = await readFile(path, "utf8");
  const read = manifest.safeParse(parse(text));
  if (read.success) return { manifest: read.data, sha256: createHash("sha256").update(text).digest("hex") };
  const [fault] = read.error.issues;
  throw new SourceError(
    `${path} is damaged or of another version (${fault?.path.join(".").slice(0, 100)}: ${fault?.message.slice(0, 100)})`,
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Size and SHA-256 of a file. @param onBytes hears of each piece that was read */
export async function measureFile(
  path: string,
  onBytes: (bytes: number) => void = () => {},
): Promise<{ bytes: number; sha256: string }> {
  const sum = createHash("sha256");
  let bytes = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: 2 ** 20 })) {
    sum.update(chunk);
    bytes += chunk.length;
    onBytes(chunk.length);
  }
  return { bytes, sha256: sum.digest("hex") };
}

/** @throws SourceError if a file is missing or has another size: that is seen without reading it */
export async function requireFiles(folder: string, { parts }: Manifest): Promise<void> {
  for (const { file: name, bytes } of parts.flatMap(filesOf)) {
    const found = await stat(join(folder, name)).catch(() => null);
    if (found?.size === bytes) continue;
    const state = found === null ? "is missing" : `has ${found.size} bytes, not ${bytes}`;
    throw new SourceError(`${join(folder, name)} ${state}: copy it again`);
  }
}

/** @throws SourceError if a file is not the one that the manifest names */
export async function requireSums(folder: string, part: Part): Promise<void> {
  for (const { file: name, sha256 } of filesOf(part)) {
    const { sha256: found } = await measureFile(join(folder, name)).catch((error: NodeJS.ErrnoException) => {
      throw new SourceError(`${join(folder, name)} cannot be read (${error.code})`);
    });
    if (found !== sha256)
      throw new SourceError(
        `${join(folder, name)} has another SHA-256 than the manifest says: copy it again`,
      );
  }
}

export const filesOf = (part: Part): ArchiveFile[] => archiveTables.map((table) => part[table]);
