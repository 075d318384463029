import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import type { Readable } from "node:stream";
import * as zlib from "node:zlib";
import { CommandError } from "../commandLine/command.ts";
import { csv } from "./forms/csv.ts";
import { ensrainbow } from "./forms/ensrainbow.ts";
import { hashIn } from "./forms/hashIn.ts";
import { list } from "./forms/list.ts";
import { DamagedRecord, type Form } from "./forms/record.ts";
import { sql } from "./forms/sql.ts";

/** A file with a table, before it is read. */
export type Table = {
  path: string;
  /** SHA-256 of its size, its first bytes and its last ones: another file has another one. */
  id: string;
  /** Size of the file. */
  bytes: number;
  compression: Compression;
};

type Compression = "none" | "gzip" | "zstd";

const READ_BYTES = 256 * 1_024;
/** How much of each end tells a file from others. */
const END_BYTES = 1_024 * 1_024;
/** zstd asks for memory as the file says: this much, and no more. Its command writes such files up to `--ultra`. */
const MAX_WINDOW_LOG = 27;

/**
 * What a compressed table may unpack to, for each of its bytes that were read, and besides. Most of a table's bytes
 * are hashes, so it unpacks to a few times its size. A kilobyte that unpacks to gigabytes would keep the import busy for nothing.
 */
export const MAX_RATIO = 20;
const SMALL_BYTES = 1_024 * 1_024;

/** @throws CommandError if the file cannot be read */
export async function findTable(path: string): Promise<Table> {
  const file = await open(path).catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(`Cannot read ${path} (${error.code}).`);
  });
  try {
    const { size } = await file.stat();
    const ends = [Buffer.alloc(Math.min(size, END_BYTES)), Buffer.alloc(Math.min(size, END_BYTES))] as const;
    await file.read(ends[0], 0, ends[0].length, 0);
    await file.read(ends[1], 0, ends[1].length, size - ends[1].length);
    const id = createHash("sha256").update(`${size}`).update(ends[0]).update(ends[1]).digest("hex");
    return { path, id, bytes: size, compression: compressionOf(ends[0]) };
  } finally {
    await file.close();
  }
}

function compressionOf(first: Buffer): Compression {
  const begins = (...bytes: number[]) => bytes.every((byte, i) => first[i] === byte);
  if (begins(0x1f, 0x8b)) return "gzip";
  return begins(0x28, 0xb5, 0x2f, 0xfd) ? "zstd" : "none";
}

/** The bytes of a table from one on, without compression. `onRead` gets how many bytes of the file were read. */
export async function* bytesOf(
  table: Table,
  { from, onRead = () => {} }: { from: number; onRead?: (bytes: number) => void },
): AsyncGenerator<Buffer> {
  const isPlain = table.compression === "none";
  const file = createReadStream(table.path, { start: isPlain ? from : 0, highWaterMark: READ_BYTES });
  if (isPlain) onRead(Math.min(from, table.bytes));
  else file.on("data", (piece) => onRead(piece.length));
  const most = () => SMALL_BYTES + MAX_RATIO * file.bytesRead;
  const plain = isPlain ? file : inflated(file, table);
  let at = isPlain ? from : 0;
  try {
    for await (const piece of plain as AsyncIterable<Buffer>) {
      // A compressed file cannot be read from its middle: earlier content is read again and skipped.
      const skipped = Math.min(Math.max(from - at, 0), piece.length);
      at += piece.length;
      if (!isPlain && at > most())
        throw new DamagedRecord(at, `it unpacks to more than ${MAX_RATIO} times its size`);
      if (isPlain) onRead(piece.length);
      if (skipped < piece.length) yield piece.subarray(skipped);
    }
  } catch (error) {
    // zlib's codes begin with Z_, zstd's with ZSTD_.
    if ((error as { code?: string }).code?.startsWith("Z"))
      throw new DamagedRecord(at, `broken compression (${(error as Error).message})`);
    throw error;
  } finally {
    file.destroy();
    plain.destroy();
  }
}

function inflated(file: Readable, { compression, path }: Table): Readable {
  const inflate = compression === "gzip" ? zlib.createGunzip() : createUnzstd(path);
  file.on("error", (error) => inflate.destroy(error));
  return file.pipe(inflate);
}

/** Node has zstd from 22.15 on. */
function createUnzstd(path: string) {
  if (!("createZstdDecompress" in zlib)) {
    throw new CommandError(
      `${path} is compressed with zstd, which Node.js ${process.version} cannot read: use 22.15 or later, or unpack the file first (zstd -d).`,
    );
  }
  return zlib.createZstdDecompress({ params: { [zlib.constants.ZSTD_d_windowLogMax]: MAX_WINDOW_LOG } });
}

const forms: readonly Form[] = [ensrainbow, sql, csv, list];
export const formNames = forms.map(({ name }) => name);

/** The form of a table: the one that was named, or the one that its first bytes look like. */
export async function formOf(table: Table, named: string | undefined): Promise<Form> {
  const chosen = named ?? looksLike(await firstBytes(table));
  const form = forms.find(({ name }) => name === chosen);
  if (form !== undefined) return form;
  throw new CommandError(`--form is "${named}": expected ${formNames.join(", ")}.`);
}

async function firstBytes(table: Table): Promise<Buffer> {
  for await (const piece of bytesOf(table, { from: 0 })) return piece;
  return Buffer.alloc(0);
}

function looksLike(first: Buffer): Form["name"] {
  const text = first.toString("latin1");
  // The length, and field 1 with ten bytes.
  if (/^[\s\S]{1,2}\n\nensrainbow/.test(text)) return "ensrainbow";
  if (/^COPY .* FROM stdin;/m.test(text) || text.startsWith("--\n-- PostgreSQL")) return "sql";
  const [line = ""] = text.split("\n", 2);
  const second = text.slice(line.length + 1).split(",", 1)[0] ?? "";
  return [line.split(",", 1)[0] ?? "", second].some((hash) => hashIn(Buffer.from(hash, "latin1")) !== null)
    ? "csv"
    : "list";
}
