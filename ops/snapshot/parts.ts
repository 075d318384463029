import { createHash } from "node:crypto";
import { once } from "node:events";
import { createReadStream, createWriteStream } from "node:fs";
import { join } from "node:path";
import { Transform, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createZstdCompress, createZstdDecompress } from "node:zlib";
import { CommandError } from "../commandLine/command.ts";
import { PART_BYTES, type Part } from "./manifest.ts";
import { ContentRefused } from "./refused.ts";

// A part is text as PostgreSQL's COPY writes it, compressed with zstd. One line is one row, so parts can be cut between
// rows and counted without knowing the types of columns, and any version of PostgreSQL on any machine reads them.
// COPY's binary form is a few percent faster, and is tied to the types as the server stores them.

const NEWLINE = 10;

/** A part that is being written. */
type OpenPart = { write: (rows: Buffer) => Promise<void>; close: () => Promise<Sizes>; textBytes: number };
type Sizes = Pick<Part, "rows" | "bytes" | "text_bytes" | "sha256">;

/** A part with these rows, in a file that `nextFile` names. */
export type WrittenPart = Sizes & { file: string };

/**
 * Writes `COPY` rows to as many parts as needed; none without rows.
 *
 * @param nextFile gives the name of the next part's file
 */
export async function writeParts(
  rows: AsyncIterable<Buffer>,
  { folder, nextFile }: { folder: string; nextFile: () => string },
): Promise<WrittenPart[]> {
  const written: WrittenPart[] = [];
  let current: { file: string; part: OpenPart } | null = null;
  const close = async () => {
    if (current !== null) written.push({ file: current.file, ...(await current.part.close()) });
    current = null;
  };
  const write = async (chunk: Buffer) => {
    if (chunk.length === 0) return;
    if (current === null) {
      const file = nextFile();
      current = { file, part: openPart(join(folder, file)) };
    }
    await current.part.write(chunk);
  };
  for await (const chunk of rows) {
    const isFull =
      current !== null && (current as { part: OpenPart }).part.textBytes + chunk.length > PART_BYTES;
    const end = isFull ? chunk.lastIndexOf(NEWLINE) + 1 : 0;
    if (end > 0) {
      await write(chunk.subarray(0, end));
      await close();
    }
    await write(chunk.subarray(end));
  }
  await close();
  return written;
}

function openPart(path: string): OpenPart {
  const hash = createHash("sha256");
  const sizes = { rows: 0, bytes: 0 };
  const compressed = createZstdCompress();
  const tap = new Transform({
    transform(chunk: Buffer, _, done) {
      hash.update(chunk);
      sizes.bytes += chunk.length;
      done(null, chunk);
    },
  });
  // The data is on the disk before the manifest says that it is there.
  const done = pipeline(compressed, tap, createWriteStream(path, { flags: "wx", flush: true }));
  done.catch(() => {}); // The next write or `close` throws it.
  const part: OpenPart = {
    textBytes: 0,
    write: async (chunk) => {
      sizes.rows += countLines(chunk);
      part.textBytes += chunk.length;
      await writeTo(compressed, chunk, done);
    },
    close: async () => {
      compressed.end();
      await done;
      return { ...sizes, text_bytes: part.textBytes, sha256: hash.digest("hex") };
    },
  };
  return part;
}

/** Waits while the stream is full; fails if its pipeline does. */
async function writeTo(stream: Writable, chunk: Buffer, done: Promise<void>): Promise<void> {
  if (stream.destroyed) await done;
  if (!stream.write(chunk)) await Promise.race([once(stream, "drain"), done]);
}

function countLines(chunk: Buffer): number {
  let lines = 0;
  for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, at + 1)) lines += 1;
  return lines;
}

/** @throws CommandError if the file of a part is not the one that the manifest names */
export async function verifyPart(
  folder: string,
  part: Part,
  onBytes: (bytes: number) => void,
): Promise<void> {
  const hash = createHash("sha256");
  let bytes = 0;
  try {
    for await (const chunk of createReadStream(join(folder, part.file), { highWaterMark: 2 ** 20 })) {
      hash.update(chunk);
      bytes += chunk.length;
      onBytes(chunk.length);
      if (bytes > part.bytes) break;
    }
  } catch (error) {
    throw new CommandError(`Cannot read ${part.file} (${(error as Error).message}): download it again.`);
  }
  if (bytes !== part.bytes || hash.digest("hex") !== part.sha256) throw broken(part);
}

const broken = ({ file }: Part): CommandError =>
  new CommandError(`${file} is damaged: its checksum differs from the manifest. Download it again.`);

const otherSize = ({ file }: Part): ContentRefused =>
  new ContentRefused(`${file} is damaged: its uncompressed size differs from the manifest.`);

/** Sends the text of a part to a stream of the database. It is checked once more, so that nothing else gets in. */
export async function readPart(
  { folder, part, onBytes }: { folder: string; part: Part; onBytes: (bytes: number) => void },
  target: Writable,
): Promise<void> {
  const hash = createHash("sha256");
  let textBytes = 0;
  const tap = new Transform({
    transform(chunk: Buffer, _, done) {
      hash.update(chunk);
      onBytes(chunk.length);
      done(null, chunk);
    },
    flush(done) {
      done(hash.digest("hex") === part.sha256 ? null : broken(part));
    },
  });
  const limit = new Transform({
    transform(chunk: Buffer, _, done) {
      textBytes += chunk.length;
      done(textBytes > part.text_bytes ? otherSize(part) : null, chunk);
    },
  });
  await pipeline(createReadStream(join(folder, part.file)), tap, createZstdDecompress(), limit, target);
  if (textBytes !== part.text_bytes) throw otherSize(part);
}
