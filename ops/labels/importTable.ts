import { createKeccak } from "hash-wasm";
import { isPrintable } from "../../src/ens/name.ts";
import { decodeUtf8 } from "../../src/ens/utf8.ts";
import { DamagedRecord, type Form, type LabelSet, type Part } from "./forms/record.ts";
import type { Lacking } from "./lacking.ts";
import { bytesOf, type Table } from "./openTable.ts";
import type { ImportRows } from "./store.ts";

/** What became of the records of a table. */
export type Outcome = {
  records: number;
  /** Labels that the index lacked, and has stored for it now. */
  stored: number;
  /** Records whose hash is not that of their label. */
  wrong: number;
  /** Labels that the index lacks, and that no name can show. */
  unusable: number;
};

export type ImportPlan = {
  table: Table;
  form: Form;
  lacking: Lacking;
  rows: ImportRows;
  /** The operator's name for the table; a table that says its own has that. */
  set: LabelSet;
  /** Stops the import between two pieces of the table; a later run continues. */
  signal: AbortSignal;
  onRead: (bytes: number) => void;
};

/** How often what was found is stored, and how far the table was read. */
const STORE_MS = 5_000;
/** Labels of one statement. */
const LABELS_AT_ONCE = 2_000;

/**
 * Reads a table, and stores those of its labels that the index lacks. The hash of each label is computed: what the table
 * says of it is compared and counted, and otherwise not looked at.
 *
 * @throws DamagedRecord after everything before the record was stored
 */
export async function importTable(plan: ImportPlan): Promise<Outcome> {
  const { table, form, rows, signal, onRead } = plan;
  const begun = await rows.begin(table.id);
  const state = { ...begun, set: begun.byte === 0 ? plan.set : (begun.set ?? plan.set) };
  const sieve = await createSieve(plan.lacking);
  const found: string[] = [];
  let storedAt = performance.now();
  const store = async (): Promise<void> => {
    const { set, byte, ...counts } = state;
    state.stored += await rows.save(table.id, { set, byte, ...counts, labels: found.splice(0) });
    storedAt = performance.now();
  };
  const pieces = bytesOf(table, { from: begun.byte, onRead });
  const start = { byte: begun.byte, onLabelSet: (set: LabelSet) => void Object.assign(state, { set }) };
  try {
    for await (const parts of form.read(pieces, start)) {
      for (const part of parts) found.push(...sieve(part, state));
      state.byte = parts.at(-1)?.end ?? state.byte;
      if (found.length >= LABELS_AT_ONCE || performance.now() - storedAt > STORE_MS) await store();
      if (signal.aborted) break;
    }
  } catch (error) {
    if (error instanceof DamagedRecord) await store();
    throw error;
  }
  await store();
  if (!signal.aborted) await rows.finish(table.id);
  const { records, stored, wrong, unusable } = state;
  return { records, stored, wrong, unusable };
}

/** The same bytes, not a copy. */
const asBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);

type Counts = Pick<Outcome, "records" | "wrong" | "unusable">;

/** Gives the labels of a record that the index lacks, and counts the record. */
async function createSieve(lacking: Lacking): Promise<(part: Part, counts: Counts) => string[]> {
  const keccak = await createKeccak(256);
  return ({ texts, stated }, counts) => {
    counts.records++;
    const found: string[] = [];
    let isRight = stated === null;
    for (const text of texts) {
      const hash = asBuffer(keccak.init().update(text).digest("binary"));
      isRight ||= stated !== null && hash.equals(stated);
      if (!lacking.has(hash)) continue;
      const label = decodeUtf8(text);
      // Bytes that are not UTF-8 decode to U+FFFD, and the text has another hash.
      if (isPrintable(label) && Buffer.compare(Buffer.from(label), text) === 0) found.push(label);
      else counts.unusable++;
    }
    if (!isRight) counts.wrong++;
    return found;
  };
}
