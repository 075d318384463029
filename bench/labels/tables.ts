import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { Readable, type Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import * as zlib from "node:zlib";
import { keccak256 } from "../../src/ens/keccak.ts";
import {
  csvHead,
  csvRow,
  type Entry,
  ensrainbowHead,
  ensrainbowRecord,
  sqlHead,
  sqlRow,
  sqlTail,
} from "../../test/ops/labels/files.ts";

// Generated tables of labels, as long as those of the real ones: ENSRainbow's have 50 bytes for a record on average.

type Record = Entry & { label: string; hash: string };

/** A form of tables: what stands before, for and after its records. */
type Form = { head: Buffer | string; record: (one: Record) => Buffer | string; tail: string };

const forms = {
  ensrainbow: { head: ensrainbowHead("words", 0), record: ensrainbowRecord, tail: "" },
  sql: { head: sqlHead, record: sqlRow, tail: sqlTail },
  csv: { head: csvHead, record: csvRow, tail: "" },
  list: { head: "", record: ({ label }) => `${label}\n`, tail: "" },
} as const satisfies { [form: string]: Form };

export type FormName = keyof typeof forms;
export type Compression = "none" | "gzip" | "zstd";

const stems = "sun moon river stone cloud tiger apple ocean pixel crypto nova magic delta vault".split(" ");

/** Labels in a table of a quarter of a billion for each one that an index of mainnet lacks. */
const RECORDS_FOR_EACH_LACKING = 289;

/** A label that the index lacks. */
export const lackingLabel = (number: number): string => `lacking-${number}`;

/** The label of a record. As many of them are unknown to the index as in a table of mainnet's labels. */
function labelAt(number: number): string {
  if (number % RECORDS_FOR_EACH_LACKING === 0) return lackingLabel(number / RECORDS_FOR_EACH_LACKING);
  return `${stems[number % stems.length]}${number.toString(36)}${stems[(number >> 4) % stems.length]}`;
}

/** How many records of a table have a label that the index lacks, if it lacks enough. */
export const countLacking = (records: number): number => Math.ceil(records / RECORDS_FOR_EACH_LACKING);

/** Zstandard is in Node from 22.15 on. */
export const hasZstd = "createZstdCompress" in zlib;

const AT_ONCE = 10_000;

async function* textOf(form: Form, records: number): AsyncGenerator<Buffer> {
  yield Buffer.from(form.head);
  for (let from = 0; from < records; from += AT_ONCE) {
    const parts = Array.from({ length: Math.min(AT_ONCE, records - from) }, (_, i) => {
      const label = labelAt(from + i);
      return Buffer.from(form.record({ label, hash: keccak256(label).slice(2) }));
    });
    yield Buffer.concat(parts);
  }
  yield Buffer.from(form.tail);
}

/** Writes a table into a file of this folder, and gives its path. */
export async function writeTable(
  folder: string,
  { form, compression, records }: { form: FormName; compression: Compression; records: number },
): Promise<string> {
  const path = join(folder, `words.${form}.${compression}`);
  const text = Readable.from(textOf(forms[form], records));
  const file = createWriteStream(path);
  const pack = packer(compression);
  await (pack === null ? pipeline(text, file) : pipeline(text, pack, file));
  return path;
}

function packer(compression: Compression): Transform | null {
  if (compression === "gzip") return zlib.createGzip();
  return compression === "zstd" ? zlib.createZstdCompress() : null;
}

/** Hashes of the same labels in a second, where nothing else is done. */
export function measureHashing(records: number): number {
  let ms = 0;
  for (let from = 0; from < records; from += AT_ONCE) {
    const texts = Array.from({ length: AT_ONCE }, (_, i) => Buffer.from(labelAt(from + i)));
    const begun = performance.now();
    for (const text of texts) keccak256(text);
    ms += performance.now() - begun;
  }
  return (Math.ceil(records / AT_ONCE) * AT_ONCE * 1_000) / ms;
}
